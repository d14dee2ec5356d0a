// Judges frames as a whole; value by value the plant's command policy does.
#include "services/io/command_arbiter.hpp"

#include "services/wire/wire_error.hpp"

namespace kinloop::io {

CommandArbiter::CommandArbiter(std::uint64_t schema_hash, std::size_t actuators, rt::Mode mode, rt::PlantMemory& memory)
    : schema_hash_(schema_hash), mode_(mode), memory_(memory), leases_(actuators) {
  command_.count = static_cast<std::uint32_t>(actuators);
  command_.epoch = memory.epoch.load(std::memory_order_relaxed);
  command_.release = std::uint64_t{command_.epoch} << 40U;  // no frame of an earlier io's release is taken for ours
}

std::optional<v1::Error> CommandArbiter::take(const v1::ActuatorFrame& frame, std::int64_t now_ns) {
  const std::lock_guard guard(mutex_);
  if (frame.schema_hash() != schema_hash_) {
    ++counters_.of_other_schema;
    return wire::wire_error(v1::ERROR_CODE_SCHEMA, "the frame is for another rig: describe again", "schema_hash");
  }
  Lease* lease = leases_.renew(frame.lease(), now_ns);
  if (lease == nullptr) {
    ++counters_.without_lease;
    return wire::wire_error(v1::ERROR_CODE_NO_LEASE, "there is no such lease, or it is over: acquire one", "lease");
  }
  if (frame.sequence() <= lease->last_sequence) {
    ++counters_.replayed;
    return wire::wire_error(v1::ERROR_CODE_REPLAYED,
                            "sequence numbers go up; the last was " + std::to_string(lease->last_sequence), "sequence");
  }
  if (static_cast<std::size_t>(frame.value_size()) != lease->actuators.size()) {
    ++counters_.of_other_count;
    return wire::wire_error(v1::ERROR_CODE_INVALID,
                            "the lease has " + std::to_string(lease->actuators.size()) + " actuators, the frame " +
                                std::to_string(frame.value_size()) + " values",
                            "value");
  }
  const std::span<const double> values(frame.value().data(), lease->actuators.size());
  if (!pass_on(*lease, frame.sequence(), frame.rearm(), values)) {
    return wire::wire_error(v1::ERROR_CODE_BUSY, "too many frames wait for their step");
  }
  return std::nullopt;
}

CommandArbiter::Verdict CommandArbiter::take(std::uint64_t lease, std::uint64_t sequence, std::uint64_t rearm,
                                             std::span<const double> values, std::int64_t now_ns) {
  const std::lock_guard guard(mutex_);
  Lease* found = leases_.renew(lease, now_ns);
  if (found == nullptr || found->actuators.size() != values.size()) return Verdict::kNoLease;
  return pass_on(*found, sequence, rearm, values) ? Verdict::kTaken : Verdict::kQueueFull;
}

bool CommandArbiter::pass_on(Lease& lease, std::uint64_t sequence, std::uint64_t rearm,
                             std::span<const double> values) noexcept {
  // Before anything is changed: values of a frame that is refused must not leave with the next one.
  if (mode_ == rt::Mode::kLockstep && memory_.releases.is_full()) {
    ++counters_.queue_full;
    return false;
  }
  std::uint64_t rearmed = command_.rearm;  // bits of others stay: their values may not have been taken yet
  for (std::size_t i = 0; i < lease.actuators.size(); ++i) {
    command_.give(lease.actuators[i], values[i]);
    rearmed &= ~(std::uint64_t{1} << lease.actuators[i]);
    rearmed |= (rearm >> i & 1U) << lease.actuators[i];
  }
  command_.sequence = sequence;
  command_.rearm = rearmed;
  if (mode_ != rt::Mode::kLockstep) {
    command_.seal();
    memory_.command.write(command_);
  } else {
    ++command_.release;
    command_.seal();
    memory_.releases.push(command_);
    memory_.to_plant.notify();
  }
  lease.last_sequence = sequence;
  ++counters_.taken;
  return true;
}

Result<Lease, LeaseTable::Taken> CommandArbiter::acquire(std::span<const std::size_t> actuators,
                                                         const std::string& holder, double time_s,
                                                         std::int64_t now_ns) {
  const std::lock_guard guard(mutex_);
  return leases_.acquire(actuators, holder, time_s, now_ns);
}

std::optional<Lease> CommandArbiter::renew(std::uint64_t lease, std::int64_t now_ns) {
  const std::lock_guard guard(mutex_);
  const Lease* found = leases_.renew(lease, now_ns);
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

bool CommandArbiter::release(std::uint64_t lease) {
  const std::lock_guard guard(mutex_);
  return leases_.release(lease);
}

bool CommandArbiter::is_held(std::uint64_t lease, std::int64_t now_ns) {
  const std::lock_guard guard(mutex_);
  return leases_.is_held(lease, now_ns);
}

bool CommandArbiter::are_free(std::span<const std::size_t> actuators) {
  const std::lock_guard guard(mutex_);
  return leases_.are_free(actuators);
}

std::vector<Lease> CommandArbiter::expire(std::int64_t now_ns) {
  const std::lock_guard guard(mutex_);
  return leases_.expire(now_ns);
}

std::vector<Lease> CommandArbiter::leases() {
  const std::lock_guard guard(mutex_);
  return {leases_.all().begin(), leases_.all().end()};
}

ArbiterCounters CommandArbiter::counters() {
  const std::lock_guard guard(mutex_);
  return counters_;
}

}  // namespace kinloop::io
