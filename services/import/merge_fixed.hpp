// Owns the merging of bodies that fixed joints hold together.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/model/model_spec.hpp"
#include "services/import/imported_model.hpp"

namespace kinloop {

/// The same mechanism without fixed joints in its tree: each body behind one becomes part of the body before it, by
/// mass, inertia and shapes, and leaves a frame with its name. What is fixed to the ground becomes a frame of the
/// ground; its mass and shapes have no effect and go. Everything that was attached to a merged body moves with it.
///
/// Loop joints, springs and bushings whose ends come to lie on one body are dropped with a warning; a loop joint whose
/// ends do not meet there is an error, since it can never be closed. Other fixed joints in loops stay: they close
/// loops. Precondition: the tree is one (compile() would accept it); names that do not exist are left for compile() to
/// report.
ImportResult merge_fixed_joints(const ModelSpec& spec);

}  // namespace kinloop
