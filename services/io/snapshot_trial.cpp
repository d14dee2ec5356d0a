// Compares a snapshot with the rig field by field, then steps a plant of its own from it.
#include "services/io/snapshot_trial.hpp"

#include <algorithm>
#include <bit>

#include "core/base/field_path.hpp"
#include "core/base/stepping_mode.hpp"
#include "rt/messages/state_hash.hpp"
#include "services/io/snapshot_codec.hpp"
#include "services/wire/change_codec.hpp"

namespace kinloop::io {
namespace {

/// Of the numbers alone.
std::optional<Error> flaw_of_block(const v1::Snapshot& snapshot, const Plant& plant, const State& state) {
  if (rt::state_hash(state) != snapshot.state_hash()) {
    return Error{"block", "is not what its state_hash was made of"};
  }
  if (const auto flaw = plant.flaw_in({state.block().data(), static_cast<std::size_t>(state.block().size())})) {
    return Error{item_path("block", flaw->at), "(" + plant.name_of_place(flaw->at) + ") " + std::string(flaw->what)};
  }
  if (snapshot.step() != state.step()) return Error{"step", "is not the one in its block"};
  if (std::bit_cast<std::uint64_t>(snapshot.time_s()) != std::bit_cast<std::uint64_t>(state.time_s())) {
    return Error{"time_s", "is not the one in its block"};
  }
  return std::nullopt;
}

std::optional<Error> flaw_of_policies(const v1::Snapshot& snapshot, const std::vector<rt::CommandSettings>& settings) {
  for (int i = 0; i < snapshot.policies_size(); ++i) {
    const v1::PolicyState& policy = snapshot.policies(i);
    const rt::CommandSettings& of = settings[static_cast<std::size_t>(i)];
    const std::string path = item_path("policies", static_cast<std::size_t>(i));
    if (!rt::can_have_value(of, policy.value())) return Error{path + ".value", "is no command of this actuator"};
    if (!rt::can_have_age(of, policy_of(policy))) {
      return Error{path + ".age_ticks", "is no age that a command of this actuator can come to"};
    }
  }
  return std::nullopt;
}

std::optional<Error> flaw_of_waiting(const v1::Snapshot& snapshot, const Plant& plant, const State& state) {
  for (int i = 0; i < snapshot.waiting_size(); ++i) {
    const v1::StepChange& change = snapshot.waiting(i);
    const bool is_whole =
        change.wrench_size() == 0 || static_cast<std::size_t>(change.wrench_size()) == StepChange{}.wrench.size();
    if (is_whole && plant.can_apply(wire::change_of(change), state)) continue;
    return Error{item_path("waiting", static_cast<std::size_t>(i)), "is no change that this plant can take"};
  }
  return std::nullopt;
}

/// With the commands in force, as if none came.
StepInput first_input(const v1::Snapshot& snapshot, const State& state) {
  StepInput input;
  input.level = state.level();
  input.count = static_cast<std::uint32_t>(snapshot.policies_size());
  for (int i = 0; i < snapshot.policies_size(); ++i) {
    input.command[static_cast<std::size_t>(i)] = snapshot.policies(i).value();
    input.stopped |= std::uint64_t{snapshot.policies(i).stopped() ? 1U : 0U} << static_cast<unsigned>(i);
  }
  for (const v1::StepChange& change : snapshot.waiting()) input.change[input.changes++] = wire::change_of(change);
  return input;
}

std::optional<Error> flaw_of_motion(const v1::Snapshot& snapshot, Plant& plant, State& state) {
  std::vector<Reading> readings(plant.sensor_count());
  StepInput input = first_input(snapshot, state);
  for (int i = 1; i <= SnapshotTrial::kSteps; ++i) {
    const StepStatus status = plant.step(input, state);
    if (!is_done(status)) {
      return Error{"block", "the plant fails in step " + std::to_string(i) +
                                " from there: " + std::string(kinloop::describe(status))};
    }
    plant.sense(state, readings);
    input.changes = 0;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> SnapshotTrial::flaw_of(const v1::Snapshot& snapshot) {
  const SteppingMode floating_point;  // as in the plant
  const ParameterList parameters = parameters_of(snapshot);
  if (twin_ == nullptr || twin_->parameters != parameters) {
    auto twin = make_twin(rig_, rig_file_, parameters);
    if (!twin) return Error{"parameters", twin.error().where + ": " + twin.error().what};
    twin_ = std::move(twin).value();
  }
  Plant& plant = *twin_->plant;
  State state = plant.initial_state();
  if (state.block().size() != snapshot.block_size()) {
    return Error{"parameters", "with these the plant has another number of coordinates"};
  }
  std::copy(snapshot.block().begin(), snapshot.block().end(), state.block().data());
  if (auto flaw = flaw_of_block(snapshot, plant, state)) return flaw;
  if (auto flaw = flaw_of_policies(snapshot, rig_.spec.commands)) return flaw;
  if (auto flaw = flaw_of_waiting(snapshot, plant, state)) return flaw;
  return flaw_of_motion(snapshot, plant, state);
}

}  // namespace kinloop::io
