// Feeds any bytes to the reader of addresses; one that ZeroMQ would bind to loopback must begin as loopback does.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/require.hpp"
#include "services/net/listen_address.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinloop::net;
  const auto address = parse_listen_address({reinterpret_cast<const char*>(data), size});
  if (!address) return 0;
  for (const Channel channel : kChannels) {
    const std::string endpoint = endpoint_of(*address, channel);
    const bool is_loopback = endpoint.starts_with("tcp://127.") || endpoint.starts_with("tcp://[");
    kinloop::require(address->reach != Reach::kHost || is_loopback, "loopback is an address of loopback");
    kinloop::require(!address->is_ipc() || endpoint.size() <= 107 + std::string_view("ipc://").size(),
                     "a path fits the kernel");
    kinloop::require(endpoint.find(';') == std::string::npos || address->is_ipc(), "there is one address in it");
  }
  return 0;
}
