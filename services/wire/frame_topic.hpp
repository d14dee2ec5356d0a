// Owns the topics of the socket "sensors".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kinloop::wire {

inline constexpr std::string_view kFrameTopic = "sensors/";

/// "sensors/10/": every tenth frame.
inline std::string frame_topic(std::uint32_t every) { return std::string(kFrameTopic) + std::to_string(every) + "/"; }

}  // namespace kinloop::wire
