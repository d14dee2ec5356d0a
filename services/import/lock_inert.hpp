// Owns the locking of joints that move no mass, e.g. that of a tool frame without inertia.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/model/model_spec.hpp"

namespace kinloop {

/// Makes each tree joint fixed, at its initial position, that has only massless bodies beyond it, no rotor, no
/// prescribed motion and no loop, spring or bushing at those bodies: its acceleration would not be defined. Couplings
/// of such joints go with them. One warning for each names the joint and the link. Precondition: joints are listed
/// parents first.
std::vector<Error> lock_inert_joints(ModelSpec& spec);

}  // namespace kinloop
