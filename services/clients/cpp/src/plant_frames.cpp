// Leases and frames.
#include <kinloop/client/plant.hpp>

#include "src/plant_parts.hpp"

namespace kinloop::client {
namespace {

Error no_lease() {
  return {ErrorKind::kUsage, "there is no lease to send under: acquire() one first", v1::ERROR_CODE_NO_LEASE, "lease"};
}

std::optional<Error> misuse_of(const Lease& lease, std::span<const double> values) {
  if (lease.id == 0) return no_lease();
  if (values.size() == lease.actuators.size()) return std::nullopt;
  return Error{ErrorKind::kUsage, "the lease has " + std::to_string(lease.actuators.size()) + " actuators, but " +
                                      std::to_string(values.size()) + " values were given"};
}

Error refusal_of(const FrameAnswer& answer) {
  const std::string why =
      answer.error.message().empty() ? v1::ErrorCode_Name(answer.error.code()) : answer.error.message();
  return {ErrorKind::kRefused, "frame " + std::to_string(answer.sequence) + " was refused: " + why, answer.error.code(),
          answer.error.field()};
}

}  // namespace

Result<Lease> Plant::acquire(const std::vector<std::string>& actuators, Seconds time) {
  return parts_->acquire(actuators, time.count());
}

Result<Effect> Plant::renew() {
  if (lease().id == 0) return no_lease();
  v1::ControlRequest asked;
  asked.mutable_acquire()->set_lease(lease().id);
  asked.mutable_acquire()->set_time_s(lease().time_s);
  asked.mutable_acquire()->set_holder(parts_->options.holder);
  for (const std::string& name : lease().actuators) asked.mutable_acquire()->add_actuators(name);
  const Result<v1::ControlReply> reply = request(std::move(asked));
  if (!reply) return reply.error();
  return Effect{reply->step(), reply->repeated_answer()};
}

Result<Effect> Plant::release() {
  if (lease().id == 0) return no_lease();
  v1::ControlRequest asked;
  asked.mutable_release()->set_lease(lease().id);
  parts_->lease = {};
  parts_->lane.reset();
  return effect_of(std::move(asked));
}

Result<std::uint64_t> Plant::send(std::span<const double> values, std::uint64_t rearm) {
  Parts& parts = *parts_;
  if (std::optional<Error> misuse = misuse_of(parts.lease, values)) return *std::move(misuse);
  std::optional<Error> refused;
  const FrameAnswer* answer = parts.newest_answer();
  if (answer != nullptr && answer->has_error) {
    if (!parts.may_acquire_again(*answer)) {
      refused = refusal_of(*answer);
    } else if (const Result<Lease> again = parts.acquire_again(); !again) {
      return again.error();
    }
  }
  Result<std::uint64_t> sequence = parts.post(values, rearm);
  if (sequence && refused) return *std::move(refused);
  return sequence;
}

Result<const v1::SensorFrame*> Plant::step(std::span<const double> values, std::uint64_t rearm) {
  Parts& parts = *parts_;
  if (std::optional<Error> misuse = misuse_of(parts.lease, values)) return *std::move(misuse);
  for (int attempt = 0;; ++attempt) {
    const Result<std::uint64_t> sequence = parts.post_patiently(values, rearm);
    if (!sequence) return sequence.error();
    bool is_lost = false;
    const FrameAnswer* answer = parts.await(*sequence, is_lost);
    if (answer == nullptr && is_lost && attempt == 0) continue;  // by the socket now
    if (answer == nullptr) {
      return Error{ErrorKind::kNoAnswer, "the step was not answered within " +
                                             std::to_string(parts.options.timeout.count()) +
                                             " ms: is the plant in lockstep, and does it run?"};
    }
    if (answer->has_frame) return &answer->frame;
    if (attempt > 0 || !parts.may_acquire_again(*answer)) return refusal_of(*answer);
    if (const Result<Lease> again = parts.acquire_again(); !again) return again.error();
  }
}

const v1::SensorFrame* Plant::recv(Milliseconds timeout, Which which) {
  const Clock::time_point until = Clock::now() + timeout;
  return parts_->receive(until, which);
}

Result<double> Plant::subscribe(double rate_hz) {
  v1::ControlRequest asked;
  asked.mutable_subscribe()->set_rate_hz(rate_hz);
  const Result<v1::ControlReply> reply = request(std::move(asked));
  if (!reply) return reply.error();
  if (!reply->has_subscription()) return Error{ErrorKind::kBadReply, "the plant names no topic"};
  const Result<bool> subscribed = parts_->subscribe(reply->subscription().topic());
  if (!subscribed) return subscribed.error();
  return reply->subscription().rate_hz();
}

std::optional<Event> Plant::recv_event(Milliseconds timeout) {
  const Clock::time_point until = Clock::now() + timeout;
  const Result<EventChannel*> channel = parts_->event_channel();
  return channel ? (*channel)->receive(until, parts_->counters) : std::nullopt;
}

}  // namespace kinloop::client
