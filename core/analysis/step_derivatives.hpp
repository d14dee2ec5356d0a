// Owns StepDerivatives: A and B of a plant's step by exact derivatives, as often as wanted and without allocation.
//
//   x+ = x_next + A (x - x_0) + B (u - u_0) + P (p - p_0),  x as StateChart orders it, in the chart of x_0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/analysis/step_propagator.hpp"
#include "core/derivatives/acceleration_slopes.hpp"

namespace kinloop {

/// In which chart the state after the step is expressed: that of the state before it, as StateChart has it, or one of
/// its own, whose rotation vectors count from the orientation then. Matrices of the latter follow each other.
enum class EndChart { kOfStart, kOfEnd };

class StepDerivatives {
 public:
  /// The plant must outlive it, and is stepped beside it by nobody else; StepPropagator has no refusal. `independent`
  /// marks speeds (StateChart::independents()), `like` is any state of the plant. Parameters outlive it, null: none.
  StepDerivatives(Plant& plant, int level, const std::vector<char>& independent, const State& like,
                  EndChart chart = EndChart::kOfStart, ParameterForces* parameters = nullptr);

  /// Around a state whose loops are closed and whose history is empty, and an input without changes: A, B, and the
  /// state after the step. What is not done leaves them undefined: kSingularMass where the loops do not determine the
  /// dependents. No allocation.
  StepStatus update(const State& state, const StepInput& input) noexcept;

  const MatrixX& A() const noexcept { return A_; }
  const MatrixX& B() const noexcept { return B_; }
  /// By the parameters of the model.
  const MatrixX& P() const noexcept { return P_; }
  const State& end() const noexcept { return state_; }
  /// How the force of an actuator changes with its own command.
  double force_per_command(int actuator) const noexcept {
    return changes_.dz(propagator_.actuators().force_at(actuator), states() + actuator);
  }

  Eigen::Index states() const noexcept { return A_.rows(); }

 private:
  bool place(const State& state) noexcept;
  int entry_at(std::size_t entry, std::uint64_t moved) const noexcept;
  void read(const State& base) noexcept;

  Plant& plant_;
  const Model& model_;
  EndChart chart_;
  std::vector<int> independents_;
  bool is_open_ = false;  // a tree of which nothing is driven
  struct Entry {
    int at, ring_at, ring_size;  // where it lies at `moved_`; the ring of a delay that it moves on in, 0: none
    int force_at;
    double force_per_unit;
  };
  std::vector<Entry> entries_;
  std::uint64_t moved_;
  StepPropagator propagator_;
  AccelerationSlopes start_;
  State state_;
  Workspace ws_;
  StateChanges changes_;
  MatrixX A_, B_, P_, rows_, faster_;
  VectorX increment_;
};

}  // namespace kinloop
