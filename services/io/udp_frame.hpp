// Owns the frames of the UDP adapter as bytes: fixed layout, little-endian, no padding.
//
//   command        sensors
//    0 magic u32    0 magic u32
//    4 version u16  4 version u16
//    6 count u16    6 count u16            of values
//    8 layout u64   8 layout u64           of names, units and order: both sides must mean the same
//   16 sequence    16 sequence u64         goes up; of sensors: by 1, so that who misses one knows
//   24 rearm u64   24 step u64
//   32 value f64[] 32 time_s f64           of the plant
//                  40 command_sequence u64 of the command in force
//                  48 state_hash u64
//                  56 flags u32            rt/messages/frame.hpp
//                  60 command_age u32      steps
//                  64 value f64[]          NaN: the sensor has none
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/plant/step_input.hpp"
#include "rt/messages/frame.hpp"

namespace kinloop::io {

inline constexpr std::uint32_t kUdpCommandMagic = 0x314d434b;  // "KCM1"
inline constexpr std::uint32_t kUdpSensorMagic = 0x3153534b;   // "KSS1"
inline constexpr std::uint16_t kUdpVersion = 1;
inline constexpr std::size_t kUdpCommandHeader = 32;
inline constexpr std::size_t kUdpSensorHeader = 64;

constexpr std::size_t udp_command_size(std::size_t actuators) noexcept {
  return kUdpCommandHeader + actuators * sizeof(double);
}
constexpr std::size_t udp_sensor_size(std::size_t sensors) noexcept {
  return kUdpSensorHeader + sensors * sizeof(double);
}

struct UdpCommand {
  std::uint64_t sequence = 0;
  std::uint64_t rearm = 0;  // bit i is value i
  std::array<double, kMaxActuators> value{};
};

/// What is wrong with a datagram.
enum class UdpFlaw { kNone, kSize, kMagic, kVersion, kLayout, kNotFinite };

/// The datagram must have `actuators` values and this layout. Any bytes will do. No allocation.
UdpFlaw decode(std::span<const std::byte> datagram, std::uint64_t layout, std::size_t actuators,
               UdpCommand& command) noexcept;

/// The values of the chosen sensors; returns how many bytes it is. `out` has udp_sensor_size(sensors.size()). No
/// allocation.
std::size_t encode(const rt::SensorFrame& frame, std::uint64_t layout, std::uint64_t sequence,
                   std::span<const std::size_t> sensors, std::span<std::byte> out) noexcept;

}  // namespace kinloop::io
