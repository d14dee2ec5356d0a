// Owns the check of a link's mass and inertia at import, where its place in the file is still known.
#pragma once

#include <optional>
#include <string>

#include "core/spatial/types.hpp"

namespace kinloop {

/// What makes these mass properties impossible to load; nothing if they are usable (compile() warns of unusual ones).
/// Precondition: inertia is symmetric.
std::optional<std::string> mass_problem(double mass, const Matrix3& inertia);

}  // namespace kinloop
