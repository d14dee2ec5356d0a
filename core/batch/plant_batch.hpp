// Owns PlantBatch: one step of several states of a plant, whose mechanism moves in lanes. Commands, actuators and
// faults are treated state by state, by the plant's own code.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/batch/batch.hpp"
#include "core/plant/plant.hpp"

namespace kinloop {

class PlantBatch {
 public:
  /// The plant must outlive it, and is used by it alone while it steps. An error says why lanes do not treat this level
  /// of it.
  static Result<std::unique_ptr<PlantBatch>> make(Plant& plant, int level);

  /// Most states of a step().
  int width() const noexcept { return batch_->width(); }

  /// As Plant::step() for each state, whose result does not depend on the others; those that lanes do not treat are
  /// stepped by the plant itself, with its bits. Inputs are of the level that it was made for. No allocation.
  void step(std::span<const StepInput* const> inputs, std::span<State* const> states,
            std::span<StepStatus> status) noexcept;

  /// States stepped, and those of them that the plant stepped itself.
  long long steps() const noexcept { return steps_; }
  long long steps_alone() const noexcept { return steps_alone_; }

 private:
  PlantBatch(Plant& plant, int level, std::unique_ptr<Batch> batch);
  void substep(std::span<State* const> states) noexcept;

  Plant& plant_;
  int level_;
  std::unique_ptr<Batch> batch_;
  /// Of each place among the states.
  struct Place {
    VectorX before;  // the state's block, to go back to
    VectorX tau;
    ActuatorSet::Held held;
    enum class Way { kLanes, kAlone, kStands } way = Way::kLanes;
  };
  std::vector<Place> places_;
  std::vector<std::size_t> moving_;  // places that are in the lanes
  std::vector<State*> states_;
  std::vector<const double*> tau_;
  std::vector<char> done_;
  long long steps_ = 0, steps_alone_ = 0;
};

}  // namespace kinloop
