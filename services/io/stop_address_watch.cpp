// Compares what the stop thread lacks now with what it lacked before.
#include "services/io/stop_address_watch.hpp"

#include <algorithm>
#include <utility>

namespace kinloop::io {

void StopAddressWatch::look(std::int64_t now_ns) {
  constexpr std::int64_t kBetween_ns = 200'000'000;
  if (!parts_.options.stops_down || now_ns < next_ns_) return;
  next_ns_ = now_ns + kBetween_ns;
  std::vector<std::string> down = parts_.options.stops_down();
  const auto has = [](const std::vector<std::string>& all, const std::string& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  for (const std::string& address : down_) {
    if (!has(down, address)) parts_.events.endpoint_is_up(address);
  }
  for (const std::string& address : down) {
    if (has(down_, address)) continue;
    log_.warning(address + " is taken by somebody else: no stops are served there, and it is tried again");
    parts_.events.endpoint_is_down(address);
  }
  down_ = std::move(down);
}

}  // namespace kinloop::io
