// Done in a thread of their own, with a plant of its own, from the plant's present state.
#include "services/io/job_verbs.hpp"

#include <algorithm>

#include "core/analysis/rollout.hpp"
#include "core/analysis/state_chart.hpp"
#include "core/analysis/trajectory.hpp"
#include "core/base/stepping_mode.hpp"
#include "rt/messages/state_hash.hpp"
#include "services/io/snapshot_codec.hpp"
#include "services/wire/linear_codec.hpp"

namespace kinloop::io {
namespace {

constexpr int kMaxSequences = 10'000;
constexpr std::int64_t kMaxRolloutSteps = 10'000'000;    // of all sequences together
constexpr std::int64_t kMaxLinearizedSteps = 1'000'000;  // each takes as long as ten others
constexpr std::int64_t kMaxMatrixBytes = 256LL << 20U;   // of one sequence whose cost is differentiated
constexpr std::uint32_t kMaxTrimIterations = 1000;

/// `motion`: null: none.
Result<State> state_of(Twin& twin, const std::vector<double>& block, const v1::MotionState* motion) {
  State state = twin.plant->initial_state();
  if (block.size() != static_cast<std::size_t>(state.block().size())) {
    return Error{"", "the plant's state has another size"};
  }
  std::copy(block.begin(), block.end(), state.block().data());
  if (motion == nullptr) return state;
  const Eigen::Map<const VectorX> q(motion->q().data(), motion->q_size());
  const Eigen::Map<const VectorX> v(motion->v().data(), motion->v_size());
  return state_from_motion(*twin.plant, state, q, v);
}

void rollout_to_wire(const Trajectory& way, v1::RolloutResult& out) {
  for (const VectorX& y : way.y) out.mutable_outputs()->Add(y.begin(), y.end());
  out.mutable_end()->mutable_q()->Assign(way.end.q().begin(), way.end.q().end());
  out.mutable_end()->mutable_v()->Assign(way.end.v().begin(), way.end.v().end());
  out.set_complete(way.complete);
}

void rollout_to_wire(const RolloutResult& result, v1::RolloutResult& out) {
  out.mutable_outputs()->Assign(result.outputs.begin(), result.outputs.end());
  out.mutable_end()->mutable_q()->Assign(result.end.q().begin(), result.end.q().end());
  out.mutable_end()->mutable_v()->Assign(result.end.v().begin(), result.end.v().end());
  out.set_complete(result.complete);
}

struct RolloutSize {
  std::int64_t bytes = 0;         // of the answer, at most
  std::int64_t max_commands = 0;  // rows, in as many sequences, that would still fit
};

RolloutSize size_of(const v1::RolloutRequest& request, const LoadedRig& rig) {
  constexpr std::int64_t kNumber = sizeof(double);
  constexpr std::int64_t kTags = 64;  // and lengths: of a result, or of what is around them all
  const auto actuators = static_cast<std::int64_t>(rig.spec.plant.actuators.size());
  const std::int64_t gradient = request.has_cost() ? actuators : 0;
  const std::int64_t row = kNumber * (static_cast<std::int64_t>(rig.spec.plant.sensors.size()) + gradient);
  const std::int64_t end = kNumber * (rig.model.model.nq() + rig.model.model.nv());
  const std::int64_t around = kTags + request.sequences_size() * (end + kTags);
  std::int64_t rows = 0;
  for (const v1::CommandSequence& sequence : request.sequences()) rows += sequence.commands_size() / actuators;
  const std::int64_t left = static_cast<std::int64_t>(kMaxAnswerBytes) - around;
  return {around + rows * row, row > 0 ? std::max<std::int64_t>(0, left / row) : 0};
}

std::string line_of(const Error& error) { return error.where.empty() ? error.what : error.where + " " + error.what; }

/// Of the matrices of one command along a way of this plant.
std::int64_t trajectory_row_bytes(const Plant& plant, std::int64_t states) {
  const auto inputs = static_cast<std::int64_t>(plant.actuator_count());
  const auto outputs = static_cast<std::int64_t>(plant.sensor_count());
  return static_cast<std::int64_t>(sizeof(double)) * (states + outputs) * (states + inputs + 1);
}

/// Commands of a request, or those in force.
StepInput input_of(const google::protobuf::RepeatedField<double>& commands, const rt::SnapshotBuffer& in_force) {
  StepInput input;
  input.count = in_force.actuators;
  for (std::size_t i = 0; i < input.count; ++i) {
    input.command[i] = commands.empty() ? in_force.policies[i].value : commands[static_cast<int>(i)];
  }
  return input;
}

}  // namespace

void JobVerbs::list(VerbTable& verbs) {
  verbs.add(Request::kLinearize, this, &JobVerbs::linearize);
  verbs.add(Request::kLinearizeTrajectory, this, &JobVerbs::linearize_trajectory);
  verbs.add(Request::kRollout, this, &JobVerbs::rollout);
  verbs.add(Request::kTrim, this, &JobVerbs::trim);
  verbs.add(Request::kCancel, this, &JobVerbs::cancel);
}

void JobVerbs::add_job(const CallPtr& call, const v1::MotionState* motion, Job job) {
  with_state(call, [this, call, motion, job = std::move(job)](const rt::SnapshotBuffer& buffer,
                                                              std::span<const double> block, std::uint64_t step) {
    call->reply.set_step(step);
    const std::vector<double> copy(block.begin(), block.end());
    const auto work = [this, call, motion, job, copy, buffer, step,
                       tuned = parts_.live_parameters.changed()](JobControl& control) {
      const SteppingMode floating_point;
      const auto fail = [this, call](const Refusal& why) {
        parts_.tasks.post([this, call, why] { refuse(call, why.code, why.what, why.field); });
      };
      const Refusal cancelled{v1::ERROR_CODE_CANCELLED, "cancelled", ""};
      if (control.cancelled) return fail(cancelled);
      auto twin = make_twin(parts_.rig, parts_.rig_file, tuned);
      if (!twin) return fail({v1::ERROR_CODE_INTERNAL, twin.error().what, ""});
      const Result<State> state = state_of(**twin, copy, motion);
      if (!state) return fail({v1::ERROR_CODE_INVALID, line_of(state.error()), "state"});
      const auto why = job(call, {**twin, *state, input_of({}, buffer), buffer, step, control});
      if (control.cancelled) return fail(cancelled);
      if (why) return fail(*why);
      parts_.tasks.post([this, call, answer = serialise(*call)] { finish(call, answer); });
    };
    if (!parts_.jobs.add(call->key(), call->sender(), work)) {
      refuse(call, v1::ERROR_CODE_BUSY, "too many jobs wait already");
    }
  });
}

void JobVerbs::linearize(const CallPtr& call) {
  const v1::LinearizeRequest& asked = call->request.linearize();
  const std::size_t actuators = parts_.rig.spec.plant.actuators.size();
  const bool fits = asked.commands().empty() || static_cast<std::size_t>(asked.commands_size()) == actuators;
  if (!fits) return refuse(call, v1::ERROR_CODE_INVALID, "one for each actuator, or none", "commands");
  const Result<LinearizeMethod> method = find_linearize_method(asked.method().empty() ? "exact" : asked.method());
  if (!method) return refuse(call, v1::ERROR_CODE_INVALID, method.error().what, "method");
  const Result<LinearizeSide> side = find_linearize_side(asked.side().empty() ? "either" : asked.side());
  if (!side) return refuse(call, v1::ERROR_CODE_INVALID, side.error().what, "side");
  const LinearizeSettings settings{*method,
                                   {asked.independent().begin(), asked.independent().end()},
                                   {asked.parameters().begin(), asked.parameters().end()},
                                   *side};
  const auto job = [settings](const CallPtr& of, const Start& start) -> std::optional<Refusal> {
    const StepInput input = input_of(of->request.linearize().commands(), start.buffer);
    const Result<Linearization> result = kinloop::linearize(*start.twin.plant, start.state, input, settings);
    if (!result) return Refusal{v1::ERROR_CODE_INVALID, line_of(result.error()), "state"};
    wire::to_wire(*result, *of->reply.mutable_linearization());
    return std::nullopt;
  };
  add_job(call, asked.has_state() ? &asked.state() : nullptr, job);
}

void JobVerbs::linearize_trajectory(const CallPtr& call) {
  const v1::LinearizeTrajectoryRequest& asked = call->request.linearize_trajectory();
  const auto actuators = static_cast<std::int64_t>(parts_.rig.spec.plant.actuators.size());
  if (actuators == 0 || asked.commands_size() == 0 || asked.commands_size() % actuators != 0) {
    return refuse(call, v1::ERROR_CODE_INVALID, "rows of one command for each actuator, at least one", "commands");
  }
  const std::int64_t held = std::max(1U, asked.steps_per_command());
  if (asked.commands_size() / actuators * held > kMaxLinearizedSteps) {
    return refuse(call, v1::ERROR_CODE_INVALID, "up to a million steps", "commands");
  }
  if (asked.has_state() && asked.block_size() > 0) {
    return refuse(call, v1::ERROR_CODE_INVALID, "the state is given as a block already", "state");
  }
  const auto job = [held, this](const CallPtr& of, const Start& start) -> std::optional<Refusal> {
    const v1::LinearizeTrajectoryRequest& wanted = of->request.linearize_trajectory();
    kinloop::Plant& plant = *start.twin.plant;
    State state = start.state;
    if (wanted.block_size() > 0) {
      if (wanted.block_size() != state.block().size()) {
        return Refusal{v1::ERROR_CODE_INVALID, "is no state of this plant", "block"};
      }
      const std::span<const double> numbers(wanted.block().data(), static_cast<std::size_t>(wanted.block_size()));
      if (const std::optional<StateFlaw> flaw = plant.flaw_in(numbers)) {
        return Refusal{v1::ERROR_CODE_INVALID, plant.name_of_place(flaw->at) + " " + std::string(flaw->what), "block"};
      }
      std::copy(numbers.begin(), numbers.end(), state.block().data());
    }
    TrajectoryPlan plan;
    plan.input = start.input;
    plan.commands.assign(wanted.commands().begin(), wanted.commands().end());
    plan.steps_per_command = static_cast<int>(held);
    plan.independent.assign(wanted.independent().begin(), wanted.independent().end());
    plan.cancelled = &start.control.cancelled;
    plan.pulse = &start.control.pulse;
    const Result<StateChart> chart = StateChart::make(plant, state, plan.independent);
    if (!chart) return Refusal{v1::ERROR_CODE_INVALID, line_of(chart.error()), "state"};
    const std::int64_t row = trajectory_row_bytes(plant, chart->size());
    const std::int64_t rows = wanted.commands_size() / static_cast<std::int64_t>(plant.actuator_count());
    const std::int64_t around = 4096 + 64 * chart->size() + 8 * state.block().size();
    if (const std::int64_t most = (static_cast<std::int64_t>(kMaxAnswerBytes) - around) / row; rows > most) {
      return Refusal{v1::ERROR_CODE_TOO_LARGE,
                     "the answer would be too large: up to " + std::to_string(std::max<std::int64_t>(0, most)) +
                         " commands at a time, then go on with the block of the answer",
                     "commands"};
    }
    const Result<Trajectory> way = kinloop::linearize_trajectory(plant, state, plan);
    if (!way) return Refusal{v1::ERROR_CODE_INVALID, line_of(way.error()), "commands"};
    v1::LinearizeTrajectoryReply& reply = *of->reply.mutable_trajectory();
    wire::to_wire(*way, plant.model(), reply);
    for (const ActuatorSpec& actuator : parts_.rig.spec.plant.actuators) reply.add_inputs(actuator.name);
    for (const SensorSpec& sensor : parts_.rig.spec.plant.sensors) reply.add_outputs(sensor.name);
    return std::nullopt;
  };
  add_job(call, asked.has_state() ? &asked.state() : nullptr, job);
}

void JobVerbs::rollout(const CallPtr& call) {
  const v1::RolloutRequest& request = call->request.rollout();
  const auto actuators = static_cast<std::int64_t>(parts_.rig.spec.plant.actuators.size());
  const std::int64_t held = std::max(1U, request.steps_per_command());
  std::int64_t steps = 0;
  for (const v1::CommandSequence& sequence : request.sequences()) {
    if (actuators == 0 || sequence.commands_size() % actuators != 0) {
      return refuse(call, v1::ERROR_CODE_INVALID, "rows of one command for each actuator", "sequences");
    }
    const std::int64_t rows = sequence.commands_size() / actuators;
    steps += rows * held;
    if (!request.has_cost()) continue;
    const Result<bool> fits = check_cost(wire::cost_of(request.cost()), parts_.rig.spec.plant.sensors.size(),
                                         static_cast<std::size_t>(actuators), static_cast<std::size_t>(rows));
    if (!fits) return refuse(call, v1::ERROR_CODE_INVALID, fits.error().what, fits.error().where);
  }
  if (request.sequences_size() == 0 || request.sequences_size() > kMaxSequences || steps > kMaxRolloutSteps) {
    return refuse(call, v1::ERROR_CODE_INVALID, "1 to 10000 sequences, up to 10 million steps in all", "sequences");
  }
  if (request.has_cost() && steps > kMaxLinearizedSteps) {
    return refuse(call, v1::ERROR_CODE_INVALID, "up to a million steps in all where there is a cost", "sequences");
  }
  const RolloutSize size = size_of(request, parts_.rig);
  if (size.bytes > static_cast<std::int64_t>(kMaxAnswerBytes)) {
    return refuse(call, v1::ERROR_CODE_TOO_LARGE,
                  "the answer would have " + std::to_string(size.bytes) + " bytes, and may have " +
                      std::to_string(kMaxAnswerBytes) + ": in " + std::to_string(request.sequences_size()) +
                      " sequences up to " + std::to_string(size.max_commands) + " rows of commands in all",
                  "sequences");
  }
  const auto job = [held](const CallPtr& of, const Start& start) -> std::optional<Refusal> {
    const v1::RolloutRequest& wanted = of->request.rollout();
    v1::RolloutReply& reply = *of->reply.mutable_rollout();
    if (wanted.has_cost()) return roll_out_with_gradients(wanted, held, start, reply);
    RolloutPlan plan;
    plan.input = start.input;
    plan.steps_per_command = static_cast<int>(held);
    plan.cancelled = &start.control.cancelled;
    plan.pulse = &start.control.pulse;
    for (const v1::CommandSequence& sequence : wanted.sequences()) {
      plan.sequences.emplace_back(sequence.commands().begin(), sequence.commands().end());
    }
    const auto results = kinloop::rollout(*start.twin.plant, start.state, plan);
    if (!results) return Refusal{v1::ERROR_CODE_INVALID, line_of(results.error()), ""};
    for (const RolloutResult& result : *results) rollout_to_wire(result, *reply.add_results());
    return std::nullopt;
  };
  add_job(call, request.has_state() ? &request.state() : nullptr, job);
}

std::optional<JobVerbs::Refusal> JobVerbs::roll_out_with_gradients(const v1::RolloutRequest& wanted, std::int64_t held,
                                                                   const Start& start, v1::RolloutReply& reply) {
  kinloop::Plant& plant = *start.twin.plant;
  const QuadraticCost cost = wire::cost_of(wanted.cost());
  TrajectoryPlan plan;
  plan.input = start.input;
  plan.steps_per_command = static_cast<int>(held);
  plan.cancelled = &start.control.cancelled;
  plan.pulse = &start.control.pulse;
  const Result<StateChart> chart = StateChart::make(plant, start.state);
  if (!chart) return Refusal{v1::ERROR_CODE_INVALID, line_of(chart.error()), "state"};
  const std::int64_t row = trajectory_row_bytes(plant, chart->size());
  for (const v1::CommandSequence& sequence : wanted.sequences()) {
    const std::int64_t rows = sequence.commands_size() / static_cast<std::int64_t>(plant.actuator_count());
    if (rows * row > kMaxMatrixBytes) {
      return Refusal{v1::ERROR_CODE_TOO_LARGE,
                     "up to " + std::to_string(kMaxMatrixBytes / row) + " commands where there is a cost", "sequences"};
    }
    plan.commands.assign(sequence.commands().begin(), sequence.commands().end());
    const Result<Trajectory> way = kinloop::linearize_trajectory(plant, start.state, plan);
    if (!way) return Refusal{v1::ERROR_CODE_INVALID, line_of(way.error()), "sequences"};
    v1::RolloutResult& result = *reply.add_results();
    rollout_to_wire(*way, result);
    if (!way->complete) continue;
    const CostGradient gradient = cost_gradient(*way, plan.commands, cost);
    result.set_cost(gradient.cost);
    result.mutable_gradient()->Assign(gradient.by_commands.begin(), gradient.by_commands.end());
  }
  return std::nullopt;
}

void JobVerbs::trim(const CallPtr& call) {
  const v1::TrimRequest& asked = call->request.trim();
  if (asked.max_iterations() > kMaxTrimIterations) {
    return refuse(call, v1::ERROR_CODE_INVALID, "at most " + std::to_string(kMaxTrimIterations), "max_iterations");
  }
  const v1::Description description = parts_.description;
  const ParameterList tuned = parts_.live_parameters.changed();
  const auto job = [description, tuned](const CallPtr& of, const Start& start) -> std::optional<Refusal> {
    TrimSettings settings = wire::trim_settings_of(of->request.trim());
    settings.cancelled = &start.control.cancelled;
    settings.pulse = &start.control.pulse;
    const Result<Trim> found = kinloop::trim(*start.twin.plant, start.state, start.input, settings);
    if (!found) return Refusal{v1::ERROR_CODE_INVALID, line_of(found.error()), ""};
    v1::TrimReply& reply = *of->reply.mutable_trim();
    wire::to_wire(*found, reply);
    rt::SnapshotBuffer buffer = start.buffer;
    buffer.changes = 0;
    buffer.state_hash = rt::state_hash(found->state);
    for (std::size_t i = 0; i < std::min<std::size_t>(buffer.actuators, kMaxActuators); ++i) {
      buffer.policies[i] = {found->input.command[i], 0, true, false, false};
    }
    const std::span<const double> block(found->state.block().data(),
                                        static_cast<std::size_t>(found->state.block().size()));
    *reply.mutable_snapshot() = snapshot_of(description, buffer, block, found->state.step(), tuned);
    return std::nullopt;
  };
  add_job(call, asked.has_state() ? &asked.state() : nullptr, job);
}

void JobVerbs::cancel(const CallPtr& call) {
  const std::uint64_t key = call->key_of(call->request.cancel().request_id());
  const bool was_capture = parts_.capture.cancel(key);
  if (!parts_.jobs.cancel(key) && !was_capture) {
    return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, "nothing of that number is under way", "request_id");
  }
  call->reply.mutable_done();
  finish(call);
}

}  // namespace kinloop::io
