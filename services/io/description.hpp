// Owns what a plant tells of itself: its Description on the wire, and the hashes by which frames and snapshots are
// recognised as its own.
#pragma once

#include <kinloop/v1/describe.pb.h>

#include "services/rig/rig_file.hpp"

namespace kinloop::io {

/// Of the wire schema.
inline constexpr std::uint32_t kWireVersion = 1;

/// Without endpoints and parameters, which change.
v1::Description describe(const LoadedRig& rig, std::size_t state_size);

}  // namespace kinloop::io
