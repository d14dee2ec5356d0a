// A few leases at most: one for each actuator.
#include "services/io/lease_table.hpp"

#include <sys/random.h>

#include <algorithm>

#include "services/base/utf8.hpp"
#include "services/io/times.hpp"

namespace kinloop::io {
namespace {

std::uint64_t unguessable_number() noexcept {
  std::uint64_t number = 0;
  while (number == 0) {
    if (::getrandom(&number, sizeof number, 0) != sizeof number) number = 0;
  }
  return number;
}

}  // namespace

Result<Lease, LeaseTable::Taken> LeaseTable::acquire(std::span<const std::size_t> actuators, const std::string& holder,
                                                     double time_s, std::int64_t now_ns) {
  for (const std::size_t actuator : actuators) {
    if (holders_[actuator] == 0) continue;
    const Lease* other = find(holders_[actuator]);
    return Taken{actuator, other != nullptr ? other->holder : ""};
  }
  Lease lease;
  lease.id = unguessable_number();
  // Half a character would make every message that names it unreadable.
  lease.holder = beginning_of(holder, kLongestName);
  lease.actuators.assign(actuators.begin(), actuators.end());
  lease.time_s = std::clamp(time_s > 0.0 ? time_s : kUsual_s, kShortest_s, kLongest_s);
  lease.until_ns = later(now_ns, lease.time_s);
  for (const std::size_t actuator : actuators) holders_[actuator] = lease.id;
  leases_.push_back(lease);
  return lease;
}

bool LeaseTable::are_free(std::span<const std::size_t> actuators) const noexcept {
  return std::all_of(actuators.begin(), actuators.end(), [&](std::size_t i) { return holders_[i] == 0; });
}

bool LeaseTable::is_held(std::uint64_t id, std::int64_t now_ns) const noexcept {
  return std::any_of(leases_.begin(), leases_.end(),
                     [&](const Lease& lease) { return lease.id == id && lease.until_ns > now_ns; });
}

Lease* LeaseTable::find(std::uint64_t id) noexcept {
  const auto found = std::find_if(leases_.begin(), leases_.end(), [&](const Lease& lease) { return lease.id == id; });
  return found != leases_.end() ? &*found : nullptr;
}

Lease* LeaseTable::renew(std::uint64_t id, std::int64_t now_ns) noexcept {
  Lease* lease = find(id);
  if (lease == nullptr || lease->until_ns <= now_ns) return nullptr;
  lease->until_ns = later(now_ns, lease->time_s);
  return lease;
}

bool LeaseTable::release(std::uint64_t id) noexcept {
  if (find(id) == nullptr) return false;
  std::replace(holders_.begin(), holders_.end(), id, std::uint64_t{0});
  std::erase_if(leases_, [&](const Lease& lease) { return lease.id == id; });
  return true;
}

std::vector<Lease> LeaseTable::expire(std::int64_t now_ns) {
  std::vector<Lease> over;
  for (const Lease& lease : leases_) {
    if (lease.until_ns <= now_ns) over.push_back(lease);
  }
  for (const Lease& lease : over) release(lease.id);
  return over;
}

}  // namespace kinloop::io
