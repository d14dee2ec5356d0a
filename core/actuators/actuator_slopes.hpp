// Owns ActuatorSlopes: the derivatives of one step of an actuator, in memory of whoever asks.
#pragma once

#include <algorithm>
#include <span>

namespace kinloop {

/// Row by row: the forces at its joints, then its state after the step. Columns: commands, positions and speeds of all
/// joints, then its state before the step.
class ActuatorSlopes {
 public:
  static constexpr int size(int joints, int states) noexcept { return (joints + states) * (3 * joints + states); }

  /// All zero. `memory` has at least size() doubles.
  ActuatorSlopes(int joints, int states, std::span<double> memory) noexcept
      : joints_(joints), states_(states), memory_(memory.data()) {
    std::fill_n(memory_, size(joints, states), 0.0);
  }

  int joints() const noexcept { return joints_; }
  int states() const noexcept { return states_; }
  int rows() const noexcept { return joints_ + states_; }
  int columns() const noexcept { return 3 * joints_ + states_; }

  int force(int joint) const noexcept { return joint; }
  int state_after(int place) const noexcept { return joints_ + place; }
  int command(int joint) const noexcept { return joint; }
  int position(int joint) const noexcept { return joints_ + joint; }
  int speed(int joint) const noexcept { return 2 * joints_ + joint; }
  int state_before(int place) const noexcept { return 3 * joints_ + place; }

  double& at(int row, int column) noexcept { return memory_[row * columns() + column]; }
  double at(int row, int column) const noexcept { return memory_[row * columns() + column]; }

 private:
  int joints_, states_;
  double* memory_;
};

}  // namespace kinloop
