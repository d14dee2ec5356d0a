// Owns SignalUnit: what a measured quantity is measured in.
#pragma once

#include <string_view>

namespace kinloop {

enum class SignalUnit { kRad, kRadPerS, kRadPerS2, kM, kMPerS, kMPerS2, kN, kNm, kA, kPa, kNone };

/// "rad/s"; empty for a quaternion's parts.
std::string_view name_of(SignalUnit unit) noexcept;

}  // namespace kinloop
