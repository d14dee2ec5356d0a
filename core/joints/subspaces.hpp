// Owns JointSubspaces: what a joint lets its frames do against each other, and what it blocks.
//
// Frame B may move against A along the joint's d motion columns H; the other 6 - d directions are the orthogonal
// complement of H. Angular and linear parts are compared through a length L of the mechanism: the complement is taken
// of [Hw; Hv / L], so that its rows are pure numbers of size 1 whatever the mechanism's size.
#pragma once

#include <bitset>

#include "core/joints/joint.hpp"

namespace kinloop {

struct JointSubspaces {
  int dofs = 0;
  int rows = 0;                    // 6 - dofs
  std::array<SpatialVector, 6> H;  // motion columns
  std::array<SpatialVector, 6> G;  // row i: G[i] . (relative twist at the origin of B) = 0
};

/// Which coordinates of a joint follow a prescribed motion.
using DrivenCoordinates = std::bitset<6>;

/// In the axes of A, at the coordinates of the motion, which are zero for a joint of constant directions. The columns
/// of driven coordinates are blocked: their rows, of size 1 like the others, come last. No allocation.
JointSubspaces joint_directions(const JointKind& kind, const JointMotion& joint, double length_m,
                                DrivenCoordinates driven = {}) noexcept;

/// The same at the coordinates zero, where a quaternion is the identity.
JointSubspaces directions_at_rest(const JointKind& kind, const JointParameters& parameters, double length_m,
                                  DrivenCoordinates driven = {}) noexcept;

/// Whether the directions span the same spaces at all coordinates, seen from A.
bool has_constant_directions(JointType type) noexcept;

}  // namespace kinloop
