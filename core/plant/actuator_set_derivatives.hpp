// Owns ActuatorSetDerivatives: how the device state of all actuators, and their forces, answer small changes.
#pragma once

#include "core/forces/load_slopes.hpp"
#include "core/plant/actuator_set.hpp"

namespace kinloop {

/// Stored row by row: what passes through actuators are rows.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Beside a set that makes the step itself: each call stands before that of the set. Rows of all matrices: dz has those
/// of the device state, dq, dv and dtau the speeds; columns are whatever changes.
class ActuatorSetDerivatives {
 public:
  explicit ActuatorSetDerivatives(const ActuatorSet& set);

  /// Before pass_command(): `column` is the one of this command, -1 where there is none. Allocates where the number of
  /// columns changes.
  void pass_command(int actuator, std::uint64_t moved, double command, const State& state, Eigen::Index column,
                    RowMatrix& dz) noexcept;
  /// Before step(), after all commands have passed: dz becomes that behind the sub-step, dtau that of its forces.
  void step(int level, const State& state, const MatrixX& dq, const MatrixX& dv, RowMatrix& dz, MatrixX& dtau) noexcept;
  /// Before finish(): dz becomes that behind it.
  void finish(int level, const State& state, const MatrixX& dq, const MatrixX& dv, RowMatrix& dz) noexcept;

  /// Before predict(): of the loads; dz stays. How the damping of circuits changes is found by differences of their own
  /// step. Allocates where the number of columns changes.
  void predict(int level, double dt_s, const State& state, const MatrixX& dq, const MatrixX& dv, const RowMatrix& dz,
               LoadSlopes& loads) noexcept;
  /// Before settle(), after a sub-step from q (changed by dq) to the state (changed by dq1, dv1): dz becomes that
  /// behind it.
  void settle(int level, double dt_s, const VectorX& q, const State& state, const MatrixX& dq, const MatrixX& dq1,
              const MatrixX& dv1, RowMatrix& dz) noexcept;

  /// Along the speeds, from the forces in the device state.
  void add_forces(const RowMatrix& dz, MatrixX& dtau) const noexcept;

  /// All forces are commands: of dz their rows alone are written, wholly, and none is read before.
  bool all_direct() const noexcept { return all_direct_; }

  // Where numbers lie in the device state.
  int force_at(int actuator) const noexcept { return set_.ports_[at(actuator)].force_at; }
  int quantity_at(int actuator, int number) const noexcept { return set_.quantity_of(actuator, number).place; }
  int pump_at(int pump) const noexcept { return set_.pump_at(pump); }
  /// The ring of a command's delay that a place lies in, which moves on with every step; of size 0: none.
  struct Ring {
    int at, size;
  };
  Ring delay_ring(int place) const noexcept;

 private:
  void pass_devices(int level, int first, const State& state, const MatrixX& dq, const MatrixX& dv,
                    RowMatrix& dz) noexcept;
  /// From the inputs, and how positions and speeds of the joints change (a row for each actuator): columns_, and rows_.
  void differentiate_device(int level, int device, const State& state, const RowMatrix& dz) noexcept;
  void write_device(int device, RowMatrix& dz) const noexcept;
  bool is_direct(const ActuatorSet::Device& device) const noexcept {
    return device.pump < 0 && is_direct_[device.ports[0]] != 0;
  }
  ActuatorInput& take_speed(int actuator, const State& state, const MatrixX& dv) noexcept;
  void add_direct_forces(const RowMatrix& dz, MatrixX& dtau) const noexcept;
  /// Of a circuit at its inputs: what a unit of each column of columns_ does to the damping at each joint.
  void differentiate_damping(int level, int device, const State& state) noexcept;

  const ActuatorSet& set_;
  IndexedVector<ActuatorInput> inputs_;
  IndexedVector<double> memory_;        // of slopes
  IndexedVector<Eigen::Index> column_;  // of each command
  IndexedVector<char> is_direct_;       // per actuator: its force is the command, and nothing is remembered
  bool all_direct_ = false;
  RowMatrix commands_;            // changes of the effective commands
  RowMatrix positions_, speeds_;  // of the joints, per actuator
  RowMatrix columns_, rows_;      // of one device
  // Of the damping of a circuit.
  IndexedVector<ActuatorInput> moved_inputs_;
  IndexedVector<ActuatorOutput> outputs_, moved_outputs_;
  IndexedVector<double> moved_state_;
  MatrixX damping_by_;
};

}  // namespace kinloop
