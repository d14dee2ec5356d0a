// Owns PoseSample: coordinates, speeds and actuator values of one step, for pictures, a few dozen times a second.
#pragma once

#include <array>
#include <cstdint>

#include "rt/messages/command.hpp"

namespace kinloop::rt {

/// Nobody sees more pictures than this.
inline constexpr std::int64_t kBetweenPictures_ns = 16'000'000;

struct PoseSample {
  /// Of coordinates and speeds together; larger mechanisms are not shown.
  static constexpr std::size_t kMaxNumbers = 1024;

  std::uint64_t step = 0;
  double time_s = 0.0;
  std::int64_t command_age_ticks = 0;  // of the newest command in force
  std::uint32_t flags = 0;             // frame_flag bits
  std::uint32_t coordinates = 0;       // of numbers; the speeds follow them
  std::uint32_t speeds = 0;
  std::uint32_t actuators = 0;
  std::uint64_t safe = 0;                       // bit i: actuator i was made so, by age or by an emergency stop
  std::uint64_t stopped = 0;                    // bit i: by an emergency stop
  std::array<double, kMaxActuators> command{};  // in force, after policies
  std::array<double, kMaxActuators> force{};    // that it applies
  std::array<std::int64_t, kMaxActuators> age_ticks{};
  std::array<double, kMaxNumbers> numbers{};
};

}  // namespace kinloop::rt
