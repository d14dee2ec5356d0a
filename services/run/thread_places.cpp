// Only in real time: elsewhere nobody goes before others.
#include "services/run/thread_places.hpp"

#include <algorithm>
#include <vector>

namespace kinloop::run {

void choose_cores(const host::HostFacts& host, RigSpec& spec) {
  if (spec.mode != rt::Mode::kRealTime) return;
  if (spec.core < 0) spec.core = host.core;
  if (spec.watchdog.core >= 0) return;
  const std::vector<int>& allowed = host.allowed;
  const auto other = std::find_if(allowed.begin(), allowed.end(), [&](int core) { return core != spec.core; });
  if (other != allowed.end()) spec.watchdog.core = *other;
}

rt::ThreadWishes stop_wishes(const RigSpec& spec) {
  rt::ThreadWishes wishes;
  if (spec.mode != rt::Mode::kRealTime) return wishes;
  const bool is_apart = spec.watchdog.core >= 0 && spec.watchdog.core != spec.core;
  wishes.priority = (is_apart ? spec.watchdog.priority : spec.priority) - 1;
  wishes.core = spec.watchdog.core;
  return wishes;
}

}  // namespace kinloop::run
