// Owns the repair of masses and inertias that no body has, as files made by other programs contain them.
#pragma once

#include <functional>
#include <string>

#include "core/model/model_spec.hpp"

namespace kinloop {

/// Changes as little as compile() needs. Called after fixed joints are merged: a part that is impossible by itself may
/// well be possible as part of the body it is welded to.
///   - Principal moments that are negative by rounding (less than 1e-9 of the largest, or of mass times the square of
///     the distance from the centre of mass to the farthest joint) become zero.
///   - Other negative moments become zero too, and inertia without mass goes: `report` is told the body and the change.
void mend_masses(ModelSpec& spec, const std::function<void(const std::string& body, std::string what)>& report);

}  // namespace kinloop
