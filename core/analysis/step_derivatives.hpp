// Owns StepDerivatives: A and B of a plant's step by exact derivatives, as often as wanted and without allocation.
//
//   x+ = x_next + A (x - x_0) + B (u - u_0),  x as StateChart orders it, in the chart of x_0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/derivatives/step_slopes.hpp"
#include "core/plant/actuator_set_derivatives.hpp"
#include "core/plant/plant.hpp"

namespace kinloop {

class StepDerivatives {
 public:
  /// Why steps of this plant and level cannot be differentiated, in words that follow "because of"; empty: they can.
  static std::string refusal(const Plant& plant, int level);

  /// The plant must outlive it, and is stepped beside it by nobody else; there is no refusal. `independent` marks
  /// speeds (StateChart::independents()), `like` is any state of the plant.
  StepDerivatives(Plant& plant, int level, const std::vector<char>& independent, const State& like);

  /// Around a state whose loops are closed and whose history is empty, and an input without changes: A, B, and the
  /// state after the step. What is not done leaves them undefined: kSingularMass where the loops do not determine the
  /// dependents. No allocation.
  StepStatus update(const State& state, const StepInput& input) noexcept;

  const MatrixX& A() const noexcept { return A_; }
  const MatrixX& B() const noexcept { return B_; }
  const State& end() const noexcept { return state_; }
  /// How the force of an actuator changes with its own command.
  double force_per_command(int actuator) const noexcept {
    return dz_(actuators_.force_at(actuator), states() + actuator);
  }

  Eigen::Index states() const noexcept { return A_.rows(); }

 private:
  bool place(const State& state) noexcept;
  int entry_at(std::size_t entry, std::uint64_t moved) const noexcept;
  void read(const State& base) noexcept;

  Plant& plant_;
  const Model& model_;
  int level_;
  std::vector<int> independents_;
  bool is_open_ = false;  // a tree of which nothing is driven
  struct Entry {
    int at, ring_at, ring_size;  // where it lies at `moved_`; the ring of a delay that it moves on in, 0: none
    int force_at;
    double force_per_unit;
  };
  std::vector<Entry> entries_;
  std::uint64_t moved_;
  ActuatorSetDerivatives actuators_;
  StepSlopes slopes_;
  AccelerationSlopes start_;
  std::unique_ptr<Integrator> integrator_;
  State state_, before_;
  Workspace ws_;
  Loads loads_, no_loads_;
  RowMatrix dz_;  // of the actuators
  MatrixX A_, B_, dq_, dv_, dtau_, moved_by_, rows_, faster_;
  VectorX increment_;
};

}  // namespace kinloop
