// Who may, how often, what is wrong with it; then the arbiter decides.
#include "services/io/command_receiver.hpp"

#include <algorithm>

#include "services/security/roles.hpp"
#include "services/wire/wire_error.hpp"

namespace kinloop::io {
namespace {

/// Of one sender, and so many at once.
Rate frame_limit(double frame_rate_hz) {
  constexpr double kLeast_hz = 1e5;
  const double limit_hz = std::max(4.0 * frame_rate_hz, kLeast_hz);
  return {limit_hz, limit_hz};
}

/// The largest frame of all actuators has about this.
Rate byte_limit(double frame_rate_hz) {
  constexpr double kFrameBytes = 1024.0;
  const Rate frames = frame_limit(frame_rate_hz);
  return {frames.per_s * kFrameBytes, frames.burst * kFrameBytes};
}

}  // namespace

RateLimit command_limit(double frame_rate_hz) { return {frame_limit(frame_rate_hz), byte_limit(frame_rate_hz)}; }

CommandReceiver::CommandReceiver(zmq::socket_t& socket, std::uint64_t schema_hash, double frame_rate_hz, rt::Mode mode,
                                 CommandArbiter& arbiter, Recorder& recorder)
    : router_(socket),
      mode_(mode),
      arbiter_(arbiter),
      recorder_(recorder),
      limit_(command_limit(frame_rate_hz)),
      encoder_(schema_hash) {}

CommandReceiver::Taken CommandReceiver::take(std::int64_t now_ns) {
  if (!router_.take()) return Taken::kNothing;
  if (limit_.judge(router_.sender(), router_.body().size(), now_ns) != RateLimit::Verdict::kHeard) {
    ++over_limit_;
    return Taken::kRefused;
  }
  if (const auto error = objection(now_ns)) {
    const wire::Bytes refusal = encoder_.encode_refusal(command_.sequence(), *error);
    router_.send(router_.sender(), router_.has_delimiter(), refusal);
    return Taken::kRefused;
  }
  recorder_.add_command(command_, now_ns);
  if (mode_ == rt::Mode::kLockstep) {
    answers_.expect(arbiter_.releases(), command_.sequence(), router_.sender(), router_.has_delimiter());
  }
  return Taken::kCommand;
}

/// Nothing where the command was handed to the plant.
std::optional<v1::Error> CommandReceiver::objection(std::int64_t now_ns) {
  command_.Clear();
  if (!security::permits_commands(router_.caller().role)) {
    ++forbidden_;
    return wire::wire_error(v1::ERROR_CODE_FORBIDDEN, "this key may look, not command");
  }
  if (!wire::decode(router_.body(), command_)) {
    ++malformed_;
    return wire::wire_error(v1::ERROR_CODE_MALFORMED, "the message is no ActuatorFrame");
  }
  return arbiter_.take(command_, now_ns);
}

void CommandReceiver::answer(const rt::SensorFrame& frame, std::uint64_t number) {
  const LockstepAnswers::Waiting* waiting = answers_.take(frame.release);
  if (waiting == nullptr) return;
  router_.send(waiting->sender, waiting->with_delimiter, encoder_.encode_answer(waiting->sequence, frame, number));
}

}  // namespace kinloop::io
