// Owns the ways a file may write a pose.
#pragma once

#include <optional>

#include "core/spatial/types.hpp"
#include "services/files/field_reader.hpp"

namespace kinloop {

/// A pose, and whether the file gave its rotation.
struct ReadPose {
  Pose pose;
  bool has_rotation = false;
};

/// Reads `p` and one of: `R` (matrix), `rpy`, `axis` with `angle`, `quaternion` (w, x, y, z), `z` with an optional `x`.
/// An absent key is the identity.
ReadPose read_pose(Fields& parent, std::string_view key);

/// The smallest turn that points z along the direction; half a turn about x for -z. Precondition: not zero.
Matrix3 rotation_with_z_along(const Vector3& direction);

/// A direction of any length but zero; nothing if the key is absent or wrong.
std::optional<Vector3> read_direction(Fields& fields, std::string_view key);

}  // namespace kinloop
