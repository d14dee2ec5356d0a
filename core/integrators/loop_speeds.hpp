// Owns LoopSpeeds: which speeds loops tie together, and whether a step follows them.
//
// A step that follows the motion ends with loops open by what it leaves of its order, and closing them changes speeds a
// little. Next to a singular position the motion may turn within less than a step: then the speeds at its end have
// nothing to do with those that the loops allow there, and closing them would give the mechanism energy from nowhere,
// or take it (docs/rank-and-verification.md).
#pragma once

#include <vector>

#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// Changes count where they are large in two measures: in some component (loops that share bodies, directly or through
/// others) against the largest speed, in rad/s or lengths of the mechanism a second, and in kinetic energy against that
/// of the whole mechanism, so that a light rod that flips is no cause to stop a machine. What falling through a
/// thousandth of the mechanism's length gives is small. Needs the columns and inertias of the workspace; no allocation.
class LoopSpeeds {
 public:
  explicit LoopSpeeds(const Model& model);

  /// Whether an acceleration would change the speeds within the step by more than twice the largest of them, or of what
  /// drives give in that time, in the first measure alone.
  bool may_turn(const Workspace& ws, const double* v, const VectorX& acceleration, double dt_s) noexcept;
  /// In both.
  bool would_turn(const Model& model, const Workspace& ws, const double* v, const VectorX& acceleration,
                  double dt_s) noexcept;

  /// Whether the speeds changed by more than half of the largest, before or after.
  bool have_jumped(const Model& model, const Workspace& ws, const VectorX& before, const VectorX& after) noexcept;

 private:
  struct Largest {
    double speed2 = 0.0, change2 = 0.0;
  };

  /// How much a unit of a speed moves, squared: rad/s, or lengths a second.
  double size2(const Workspace& ws, std::size_t speed) const noexcept {
    return dot(ws.Hw[speed], ws.Hw[speed]) + inverse_length2_ * dot(ws.Hv[speed], ws.Hv[speed]);
  }
  bool is_beyond(double share) const noexcept;
  double kinetic_energy(const Model& model, const Workspace& ws, const double* v) noexcept;
  bool is_forceful(double of_change_J, double of_motion_J) const noexcept;

  double inverse_length2_;
  double slow2_, little_J_;
  std::vector<int> component_;  // per speed; -1: between the ends of no loop
  std::vector<Largest> largest_;
  std::vector<SpatialVector> V_;  // per body
  VectorX change_;
};

}  // namespace kinloop
