// Copies numbers at their places: bytes of a socket are aligned to nothing.
#include "services/io/udp_frame.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/require.hpp"

namespace kinloop::io {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they are");
static_assert(std::numeric_limits<double>::is_iec559);

template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t place) noexcept {
  T value{};
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

template <class T>
void put(T value, std::size_t place, std::span<std::byte> bytes) noexcept {
  std::memcpy(bytes.data() + place, &value, sizeof value);
}

}  // namespace

UdpFlaw decode(std::span<const std::byte> datagram, std::uint64_t layout, std::size_t actuators,
               UdpCommand& command) noexcept {
  require(actuators <= command.value.size(), "the actuators fit into a command");
  if (datagram.size() < kUdpCommandHeader) return UdpFlaw::kSize;
  if (number_at<std::uint32_t>(datagram, 0) != kUdpCommandMagic) return UdpFlaw::kMagic;
  if (number_at<std::uint16_t>(datagram, 4) != kUdpVersion) return UdpFlaw::kVersion;
  if (number_at<std::uint64_t>(datagram, 8) != layout) return UdpFlaw::kLayout;
  const bool fits =
      number_at<std::uint16_t>(datagram, 6) == actuators && datagram.size() == udp_command_size(actuators);
  if (!fits) return UdpFlaw::kSize;
  command.sequence = number_at<std::uint64_t>(datagram, 16);
  command.rearm = number_at<std::uint64_t>(datagram, 24);
  for (std::size_t i = 0; i < actuators; ++i) {
    command.value[i] = number_at<double>(datagram, udp_command_size(i));
    if (!std::isfinite(command.value[i])) return UdpFlaw::kNotFinite;
  }
  return UdpFlaw::kNone;
}

std::size_t encode(const rt::SensorFrame& frame, std::uint64_t layout, std::uint64_t sequence,
                   std::span<const std::size_t> sensors, std::span<std::byte> out) noexcept {
  constexpr std::int64_t kMaxAge = std::numeric_limits<std::uint32_t>::max();
  require(out.size() >= udp_sensor_size(sensors.size()), "the frame fits into its buffer");
  put(kUdpSensorMagic, 0, out);
  put(kUdpVersion, 4, out);
  put(static_cast<std::uint16_t>(sensors.size()), 6, out);
  put(layout, 8, out);
  put(sequence, 16, out);
  put(frame.step, 24, out);
  put(frame.time_s, 32, out);
  put(frame.command_sequence, 40, out);
  put(frame.state_hash, 48, out);
  put(frame.flags, 56, out);
  put(static_cast<std::uint32_t>(std::clamp<std::int64_t>(frame.command_age_ticks, 0, kMaxAge)), 60, out);
  for (std::size_t i = 0; i < sensors.size(); ++i) put(frame.value[sensors[i]], udp_sensor_size(i), out);
  return udp_sensor_size(sensors.size());
}

}  // namespace kinloop::io
