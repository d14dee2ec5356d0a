// From the socket to the handler, and back.
#include "services/io/control_receiver.hpp"

namespace kinloop::io {
namespace {

/// No sender has said too much to stop. A stop is short; what is longer is not even parsed.
bool is_stop(wire::Bytes body) {
  constexpr std::size_t kMaxStop_bytes = 64;
  v1::ControlRequest request;
  return body.size() <= kMaxStop_bytes && request.ParseFromArray(body.data(), static_cast<int>(body.size())) &&
         request.has_emergency_stop();
}

}  // namespace

void ControlReceiver::take(std::int64_t now_ns) {
  constexpr int kMaxAtOnce = 32;
  for (int i = 0; i < kMaxAtOnce && router_.take(); ++i) {
    if (limit_.permits(router_.sender(), now_ns) || is_stop(router_.body())) {
      handler_.take(router_.envelope(), router_.body(), router_.caller(), now_ns);
    } else {
      ++over_limit_;
    }
  }
}

void ControlReceiver::send(const Envelope& to, const v1::ControlReply& reply) {
  const std::string bytes = reply.SerializeAsString();
  router_.send(to, {bytes.data(), bytes.size()});
}

}  // namespace kinloop::io
