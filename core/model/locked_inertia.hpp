// Owns the inertia that each speed moves when all other joints are locked, at the start of a model.
#pragma once

#include "core/model/model.hpp"

namespace kinloop {

/// One entry per speed, rotors included: the diagonal of the mass matrix at initial_q(), in O(n) time and memory.
VectorX locked_inertias(const Model& model);

}  // namespace kinloop
