// Owns the frame whose z axis lies along a given axis, since all joints of core act along or about z.
#pragma once

#include "core/spatial/types.hpp"

namespace kinloop {

/// The rotation that takes z to `axis` by the shortest way (by half a turn about x where axis is -z).
/// Precondition: axis has length 1.
inline Matrix3 frame_about_axis(const Vector3& axis) {
  if (axis.z() < 0.0) return frame_about_axis(-axis) * Vector3(1.0, -1.0, -1.0).asDiagonal();
  const Matrix3 V = skew(Vector3(-axis.y(), axis.x(), 0.0));  // z x axis
  return Matrix3::Identity() + V + V * V / (1.0 + axis.z());
}

}  // namespace kinloop
