// Owns the motions that loops, couplings and driven speeds leave a mechanism.
#pragma once

#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// Columns that span the speeds which neither break a constraint nor move a driven speed; orthonormal for speeds of
/// size 1, so that angles and distances weigh the same whatever the size of the mechanism. Needs update_kinematics()
/// and update_loop_constraints(). For analysis: it allocates.
MatrixX allowed_motions(const Model& model, const Workspace& ws);

}  // namespace kinloop
