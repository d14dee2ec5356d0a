// A lease that is over may still be in the table: it is given back before another one is asked for.
#include "services/io/adapter_lease.hpp"

#include <cmath>

namespace kinloop::io {

bool AdapterLease::hold(std::int64_t now_ns) {
  if (is_held(now_ns)) return true;
  release();
  if (!commands_.are_free(actuators_)) return false;
  const auto lease = commands_.acquire(actuators_, holder_, time_s_, now_ns);
  if (!lease) return false;
  id_ = lease->id;
  time_s_ = lease->time_s;
  return true;
}

AdapterLease::Outcome AdapterLease::give(std::uint64_t sequence, std::uint64_t rearm, std::span<const double> values,
                                         std::int64_t now_ns) {
  if (!hold(now_ns)) return Outcome::kNotFree;
  switch (commands_.take(id_, sequence, rearm, values, now_ns)) {
    case CommandArbiter::Verdict::kTaken:
      break;
    case CommandArbiter::Verdict::kNoLease:  // another thread's clock was ahead, and found it over
      release();
      return Outcome::kNotFree;
    case CommandArbiter::Verdict::kQueueFull:
      return Outcome::kQueueFull;
  }
  until_ns_ = now_ns + std::llround(time_s_ * 1e9);
  return Outcome::kGiven;
}

void AdapterLease::release() {
  if (id_ != 0) commands_.release(id_);
  id_ = 0;
}

}  // namespace kinloop::io
