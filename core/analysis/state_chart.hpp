// Owns StateChart: the smallest set of numbers x that describes a plant's state near a given one.
//
//   q.<joint>             independent coordinate
//   turn.<joint>.x|y|z    of a joint with a quaternion: rotation vector from the given orientation, in the axes of the
//                         body, rad; so it is zero at the given state
//   u.<joint>             independent speed
//   ...                   what actuators remember: core/plant/device_state_entry.hpp
//
// Independent coordinates are chosen by the projective criterion (paper 001), as the formulation `partition` does; all
// others follow from the closed loops. Driven coordinates follow from the time. For analysis: it allocates.
#pragma once

#include "core/analysis/dependent_coordinate_solver.hpp"
#include "core/plant/plant.hpp"

namespace kinloop {

class StateChart {
 public:
  /// The plant must outlive it. `names` are of the independent speeds; none: chosen. An error where the state is a
  /// singular position, or where these do not determine the others.
  static Result<StateChart> make(const Plant& plant, const State& around, const std::vector<std::string>& names = {});

  Eigen::Index size() const noexcept { return static_cast<Eigen::Index>(names_.size()); }
  const std::vector<std::string>& names() const noexcept { return names_; }
  /// Entries 0 ... 2 n - 1 are the mechanism's: n coordinates, then their speeds. The rest is memory.
  Eigen::Index dofs() const noexcept { return static_cast<Eigen::Index>(independents_.size()); }
  /// Speeds of the model that are independent.
  const std::vector<int>& independents() const noexcept { return independents_; }

  VectorX read(const State& state) const;

  /// The state that x describes; all that x does not, and the branch of the loops, is as in `like`. An error where the
  /// loops cannot be closed there.
  Result<State> place(const State& like, const VectorX& x);

  /// A change of each entry that makes a difference: 1 rad or one length of the mechanism, the same per second, and for
  /// memory its own size.
  VectorX sizes(const State& state) const;

 private:
  StateChart(const Plant& plant, const State& around, const std::vector<char>& independent);
  bool place_mechanism(const VectorX& x, State& state);

  const Plant& plant_;
  VectorX q0_;
  std::vector<int> independents_;
  std::vector<std::string> names_;
  DependentCoordinateSolver closing_;
  int rank_ = 0;
};

}  // namespace kinloop
