// Owns what sensors show once the plant can no longer be trusted: what the rig declares for that.
#pragma once

#include <span>

#include "core/plant/plant_spec.hpp"
#include "rt/messages/frame.hpp"

namespace kinloop::rt {

/// Turns the last frame into one that says so. No allocation.
void apply_on_fault(std::span<const SensorSpec> sensors, SensorFrame& frame) noexcept;

}  // namespace kinloop::rt
