// Owns SensorFrame: what all sensors show after a step, as it lies in the rings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kinloop::rt {

inline constexpr std::size_t kMaxSensors = 128;

/// When frames leave, and which.
struct FrameSettings {
  int every = 1;  // steps from frame to frame
  enum class Leave {
    kAtEnd,     // of the step
    kAtRelease  // of the next one: later, and without the jitter of the step's execution
  } leave = Leave::kAtEnd;
};

/// Bits of SensorFrame::flags.
namespace frame_flag {
inline constexpr std::uint32_t kOverrun = 1U << 0U;   // the step before this one ended too late
inline constexpr std::uint32_t kStale = 1U << 1U;     // some actuator was made safe
inline constexpr std::uint32_t kDegraded = 1U << 2U;  // the step was given less than all work
inline constexpr std::uint32_t kFaulted = 1U << 3U;   // a step failed, or the watchdog tripped: values are as declared
inline constexpr std::uint32_t kFrozen = 1U << 4U;    // the plant stands still
}  // namespace frame_flag

/// Bits of SensorFrame::quality, one byte a sensor.
namespace sensor_flag {
inline constexpr std::uint8_t kLost = 1U << 0U;  // the newest sample is; the value is an old one
inline constexpr std::uint8_t kSaturated = 1U << 1U;
inline constexpr std::uint8_t kInvalid = 1U << 2U;  // there is no value
}  // namespace sensor_flag

struct SensorFrame {
  std::uint64_t step = 0;              // the state is that at the end of this step; the first is 1
  double time_s = 0.0;                 // of the plant
  std::int64_t due_ns = 0;             // the step's planned release
  std::int64_t start_ns = 0;           // when it started
  std::uint64_t command_sequence = 0;  // of the command in force
  std::int64_t command_age_ticks = 0;
  std::uint64_t state_hash = 0;
  std::uint64_t release = 0;  // Command::release of what released the step; 0: the clock, or a request
  std::uint32_t flags = 0;
  std::int32_t level = 0;
  std::uint32_t count = 0;  // of sensors
  std::array<std::uint8_t, kMaxSensors> quality{};
  std::array<double, kMaxSensors> value{};
};

}  // namespace kinloop::rt
