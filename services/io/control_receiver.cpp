// From the socket to the handler, and back.
#include "services/io/control_receiver.hpp"

namespace kinloop::io {

void ControlReceiver::take(std::int64_t now_ns) {
  constexpr int kMaxAtOnce = 32;
  for (int i = 0; i < kMaxAtOnce && router_.take(); ++i) {
    const std::optional<wire::RequestHead> head = wire::read_request_head(router_.body());
    if (is_heard(head, now_ns)) {
      handler_.take({router_.envelope(), router_.body(), head, router_.caller(), router_.connection(), now_ns});
    }
  }
}

/// Stops are: however much else their sender has sent, and however little it reads.
bool ControlReceiver::is_heard(const std::optional<wire::RequestHead>& head, std::int64_t now_ns) {
  const std::size_t bytes = router_.body().size();
  const auto verdict = limit_.judge(router_.sender(), bytes, now_ns);
  const bool is_stop = head && head->verb == v1::ControlRequest::kEmergencyStopFieldNumber && bytes <= kMaxStopBytes;
  if (is_stop || (verdict == RateLimit::Verdict::kHeard && has_room())) return true;
  if (verdict == RateLimit::Verdict::kTooMany || !head) {
    ++over_limit_;
  } else {
    handler_.turn_away(router_.envelope(), *head, "too many bytes of requests and answers: read the answers, then ask");
  }
  return false;
}

bool ControlReceiver::has_room() const {
  const std::int64_t most =
      router_.caller().role >= security::Role::kOperator ? kMaxUnsentOfAll : kMaxUnsentOfObservers;
  return unsent_.of(router_.sender()) < kMaxUnsent && unsent_.all() < most;
}

void ControlReceiver::send(const Envelope& to, const Answer& answer) {
  limit_.charge(to.front(), answer->size());
  router_.send(to, unsent_.message_for(to.front(), answer));
}

}  // namespace kinloop::io
