// Feeds any bytes to the decoder of UDP commands; what it takes must be what the bytes say, and nothing else.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/base/require.hpp"
#include "services/io/udp_frame.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinloop::io;
  constexpr std::uint64_t kLayout = 0x4b4b4b4b4b4b4b4b;
  if (size == 0) return 0;
  const std::size_t actuators = 1 + data[0] % kinloop::kMaxActuators;
  const std::uint8_t* bytes = data + 1;
  const std::size_t length = size - 1;
  UdpCommand command;
  const UdpFlaw flaw = decode({reinterpret_cast<const std::byte*>(bytes), length}, kLayout, actuators, command);
  if (flaw != UdpFlaw::kNone) return 0;
  kinloop::require(length == udp_command_size(actuators), "a command has its size");
  kinloop::require(std::memcmp(bytes + 8, &kLayout, sizeof kLayout) == 0, "a command is of this layout");
  kinloop::require(std::memcmp(bytes + 16, &command.sequence, sizeof command.sequence) == 0, "it is its sequence");
  for (std::size_t i = 0; i < actuators; ++i) {
    kinloop::require(std::isfinite(command.value[i]), "a value is a number");
    kinloop::require(std::memcmp(bytes + udp_command_size(i), &command.value[i], sizeof(double)) == 0,
                     "values are in their places");
  }
  return 0;
}
