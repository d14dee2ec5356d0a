// Owns CommandArbiter: gathers commands of all adapters, checks leases, and hands them to the plant.
//
// Every adapter, ZeroMQ among them, hands frames in here. What passes is written to the mailbox at once (newest wins),
// or in lockstep put into the queue that releases steps. By any thread.
#pragma once

#include <kinloop/v1/frames.pb.h>

#include <mutex>
#include <optional>

#include "rt/loop/plant_memory.hpp"
#include "services/io/lease_table.hpp"

namespace kinloop::io {

struct ArbiterCounters {
  std::int64_t taken = 0;
  std::int64_t of_other_schema = 0;
  std::int64_t without_lease = 0;
  std::int64_t replayed = 0;
  std::int64_t of_other_count = 0;
  std::int64_t queue_full = 0;  // lockstep

  std::int64_t refused() const noexcept {
    return of_other_schema + without_lease + replayed + of_other_count + queue_full;
  }
};

class CommandArbiter {
 public:
  CommandArbiter(std::uint64_t schema_hash, std::size_t actuators, rt::Mode mode, rt::PlantMemory& memory);

  Result<Lease, LeaseTable::Taken> acquire(std::span<const std::size_t> actuators, const std::string& holder,
                                           double time_s, std::int64_t now_ns);
  /// Nothing where there is no such lease.
  std::optional<Lease> renew(std::uint64_t lease, std::int64_t now_ns);
  bool release(std::uint64_t lease);
  /// Whether there is such a lease, and it is not over; it is not renewed by this. No allocation.
  bool is_held(std::uint64_t lease, std::int64_t now_ns);
  /// Whether nobody holds any of them. No allocation.
  bool are_free(std::span<const std::size_t> actuators);
  /// Takes out those that are over.
  std::vector<Lease> expire(std::int64_t now_ns);
  std::vector<Lease> leases();
  ArbiterCounters counters();

  /// A frame from the wire; an error where it is refused whole. Without an error: no allocation.
  std::optional<v1::Error> take(const v1::ActuatorFrame& frame, std::int64_t now_ns);

  /// What became of values from an adapter.
  enum class Verdict {
    kTaken,
    kNoLease,    // it is over, or was for other actuators
    kQueueFull,  // lockstep: too many wait for their step
  };
  /// Values of a lease from an adapter, which judges its frames itself; bit i of `rearm` is value i. No allocation.
  Verdict take(std::uint64_t lease, std::uint64_t sequence, std::uint64_t rearm, std::span<const double> values,
               std::int64_t now_ns);

  /// Lockstep: the number of the last release.
  std::uint64_t releases() const noexcept { return command_.release; }

 private:
  bool pass_on(Lease& lease, std::uint64_t sequence, std::uint64_t rearm, std::span<const double> values) noexcept;

  std::mutex mutex_;
  std::uint64_t schema_hash_;
  rt::Mode mode_;
  rt::PlantMemory& memory_;
  LeaseTable leases_;
  ArbiterCounters counters_;
  rt::Command command_;
};

}  // namespace kinloop::io
