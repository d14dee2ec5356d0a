// Owns LoadSlopes: how the loads of a sub-step answer small changes, one column for each change.
#pragma once

#include "core/spatial/types.hpp"

namespace kinloop {

/// Whether columns of positions and speeds may have entries, or those of commands alone: actuators that push whatever
/// the motion.
enum class UnitForces { kFollowMotion, kFollowCommands };

/// Rows are speeds; each matrix is that of the vector of its name in Loads. All but `tau` is for integrators that take
/// stiffness.
struct LoadSlopes {
  void resize(Eigen::Index speeds, Eigen::Index columns) {
    for (MatrixX* matrix : {&tau, &stiffness, &stiffness_from, &damping, &damping_from}) {
      *matrix = MatrixX::Zero(speeds, columns);
    }
  }

  UnitForces forces = UnitForces::kFollowMotion;  // of tau
  MatrixX tau, stiffness, stiffness_from, damping, damping_from;
};

}  // namespace kinloop
