// Owns the making of scenes: what a page draws of a rig, as far as it does not move.
#pragma once

#include <kinloop/v1/panel.pb.h>

#include "services/rig/rig_file.hpp"

namespace kinloop::gateway {

/// All but description and role.
v1::Scene make_scene(const LoadedRig& rig);

/// What the rig says about the page.
v1::Panel make_panel(const RigSpec& rig);

using Floats = google::protobuf::RepeatedField<float>;
void add(const Vector3& vector, Floats& out);
/// x, y, z, then w, x, y, z.
void add(const Matrix3& R, const Vector3& p, Floats& out);

}  // namespace kinloop::gateway
