// Takes the states of a group through the parts of a plant's step, the mechanism of all of them at once.
#include "core/batch/plant_batch.hpp"

#include "core/base/at.hpp"

namespace kinloop {

Result<std::unique_ptr<PlantBatch>> PlantBatch::make(Plant& plant, int level) {
  if (plant.energy() != nullptr) return Error{"energy", "an account of it follows one state"};
  BatchSettings settings;
  settings.dynamics = plant.dynamics_name(level);
  settings.integrator = plant.integrator(level).name;
  settings.dt_s = plant.substep_s(level);
  settings.loops = plant.stabilization(level);
  auto batch = make_batch(plant.model(), settings);
  if (!batch) return batch.error();
  return std::unique_ptr<PlantBatch>(new PlantBatch(plant, level, std::move(batch).value()));
}

PlantBatch::PlantBatch(Plant& plant, int level, std::unique_ptr<Batch> batch)
    : plant_(plant), level_(level), batch_(std::move(batch)), places_(at(batch_->width())) {
  const State state = plant.initial_state();
  for (Place& place : places_) {
    place.before = state.block();
    place.tau = VectorX::Zero(plant.model().nv());
    place.held = plant.actuators().held();
  }
  moving_.reserve(places_.size());
  states_.reserve(places_.size());
  tau_.reserve(places_.size());
  done_.resize(places_.size());
}

void PlantBatch::step(std::span<const StepInput* const> inputs, std::span<State* const> states,
                      std::span<StepStatus> status) noexcept {
  require(states.size() <= places_.size() && inputs.size() == states.size() && status.size() == states.size(),
          "as many states as the batch is wide, with inputs and answers");
  for (std::size_t i = 0; i < states.size(); ++i) {
    Place& place = places_[i];
    place.before = states[i]->block();
    require(inputs[i]->count == plant_.actuator_count() && inputs[i]->level == level_,
            "the input is one for this batch");
    plant_.actuators().exchange(place.held);
    const bool moves = plant_.begin_step(*inputs[i], *states[i]);
    plant_.actuators().exchange(place.held);
    place.way = moves ? Place::Way::kLanes : Place::Way::kStands;
  }
  for (int i = 0; i < plant_.substeps(level_); ++i) substep(states);
  for (std::size_t i = 0; i < states.size(); ++i) {
    ++steps_;
    status[i] = StepStatus::kOk;
    if (places_[i].way != Place::Way::kAlone) continue;
    ++steps_alone_;
    states[i]->block() = places_[i].before;
    status[i] = plant_.step(*inputs[i], *states[i]);
  }
}

void PlantBatch::substep(std::span<State* const> states) noexcept {
  moving_.clear();
  states_.clear();
  tau_.clear();
  for (std::size_t i = 0; i < states.size(); ++i) {
    Place& place = places_[i];
    if (place.way != Place::Way::kLanes) continue;
    plant_.actuators().exchange(place.held);
    const Loads& loads = plant_.begin_substep(level_, *states[i]);
    plant_.actuators().exchange(place.held);
    if (!loads.wrenches.empty()) {
      place.way = Place::Way::kAlone;
      continue;
    }
    place.tau = loads.tau;
    moving_.push_back(i);
    states_.push_back(states[i]);
    tau_.push_back(place.tau.data());
  }
  if (moving_.empty()) return;
  batch_->step(states_, tau_, {done_.data(), moving_.size()});
  for (std::size_t n = 0; n < moving_.size(); ++n) {
    Place& place = places_[moving_[n]];
    if (done_[n] == 0) {
      place.way = Place::Way::kAlone;
      continue;
    }
    plant_.actuators().exchange(place.held);
    plant_.end_substep(level_, *states_[n]);
    plant_.actuators().exchange(place.held);
  }
}

}  // namespace kinloop
