// Owns the exchange of cuts: the same mechanism, its loops opened at other joints.
#pragma once

#include "core/analysis/cut_choice.hpp"
#include "core/base/result.hpp"
#include "core/model/model.hpp"

namespace kinloop {

/// The choice at the closed start of the model, or an error where it does not start closed to the rounding of a file.
Result<CutChoice> choose_cuts_at_start(const Model& model);

/// The model's description with these cuts. Joints that become part of the tree start where the loops have them; joints
/// that stand the other way round in the new tree are turned around. An error where one cannot be.
Result<ModelSpec> with_cuts(const Model& model, const std::vector<CutJoint>& cuts);

}  // namespace kinloop
