// Feeds any bytes to what decides who may open the page: tokens, addresses, hosts, origins.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/require.hpp"
#include "services/gateway/access.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinloop::gateway;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto tokens = Tokens::parse(text, "fuzz")) {
    kinloop::require(tokens->are_asked_for(), "an accepted file asks for tokens");
    kinloop::require(!tokens->find(""), "nobody comes in without one");
  }
  if (const auto address = parse_panel_address(text)) {
    const auto again = parse_panel_address(text_of(*address));
    kinloop::require(again && again->host == address->host && again->port == address->port, "an address reads back");
  }
  WebRequest request;
  request.host = std::string(text.substr(0, size / 2));
  request.origin = std::string(text.substr(size / 2));
  (void)Access(PanelAddress{}, {}).permits_origin(request);
  return 0;
}
