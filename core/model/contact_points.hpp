// Owns the points at which the shape of a contact is tested against planes.
#pragma once

#include <vector>

#include "core/model/model_spec.hpp"

namespace kinloop {

/// In the axes of the shape, from its centre: that of a sphere, the corners of a box. An edge of length zero makes a
/// plate or a line with fewer corners.
std::vector<Vector3> contact_points(const ContactSpec& contact);

}  // namespace kinloop
