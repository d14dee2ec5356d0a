// Owns SignalSlopes: how the true signals of a plant answer small changes of its state.
#pragma once

#include "core/analysis/step_propagator.hpp"
#include "core/derivatives/acceleration_slopes.hpp"
#include "core/plant/actuator_set_derivatives.hpp"
#include "core/plant/plant.hpp"

namespace kinloop {

class SignalSlopes {
 public:
  /// The plant must outlive it.
  SignalSlopes(Plant& plant, const std::vector<char>& independent);

  /// One row per sensor. False where the accelerations of the state cannot be differentiated. For analysis: it
  /// allocates.
  bool rows(const State& state, const StateChanges& changes, MatrixX& rows);

  /// Of speeds that the loops leave: dq = dofs, and what speeds do besides where coordinates move. After rows() or
  /// update() of the same state.
  bool update(const State& state);
  const AccelerationSlopes& accelerations() const noexcept { return slopes_; }

 private:
  /// A body's motion, changed.
  struct BodyChange {
    SpatialVector moved, v, a;
  };
  BodyChange body_change(int body, const StateChanges& changes, Eigen::Index column) const;
  double signal(const Signal& signal, const State& state, const StateChanges& changes, Eigen::Index column) const;
  double place(const Signal& signal, const StateChanges& changes, Eigen::Index column) const;
  double tension(const Rope& rope, const State& state, const StateChanges& changes, Eigen::Index column) const;
  double contact(int contact, const StateChanges& changes, Eigen::Index column) const;
  double coordinate(int q, const State& state, const StateChanges& changes, Eigen::Index column) const;

  Plant& plant_;
  ActuatorSetDerivatives actuators_;
  AccelerationSlopes slopes_;
  Workspace ws_;
  Loads loads_;
  MatrixX da_;
};

}  // namespace kinloop
