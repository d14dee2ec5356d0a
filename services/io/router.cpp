// Splits off and puts back the parts that a ROUTER socket adds.
#include "services/io/router.hpp"

#include <utility>

namespace kinloop::io {

bool Router::take() {
  constexpr int kMaxMisshapen = 64;  // passed over at a time
  is_used_ = true;                   // until nothing is left
  for (int i = 0; i < kMaxMisshapen; ++i) {
    if (!socket_.recv(part_, zmq::recv_flags::dontwait)) break;
    sender_.assign(static_cast<const char*>(part_.data()), part_.size());
    if (take_parts()) return true;
    ++misshapen_;
  }
  is_used_ = false;
  return false;
}

/// All parts behind the sender's.
bool Router::take_parts() {
  has_delimiter_ = false;
  int count = 0;
  bool more = part_.more();
  while (more) {
    if (!socket_.recv(body_, zmq::recv_flags::dontwait)) return false;
    more = body_.more();
    ++count;
    if (count == 1 && more && body_.empty()) has_delimiter_ = true;
  }
  return count == (has_delimiter_ ? 2 : 1);
}

Envelope Router::envelope() const {
  Envelope envelope = {sender_};
  if (has_delimiter_) envelope.emplace_back();
  return envelope;
}

void Router::send(const Envelope& to, zmq::message_t body) { send(to.front(), to.size() > 1, std::move(body)); }

void Router::send(const std::string& to, bool with_delimiter, wire::Bytes body) {
  send(to, with_delimiter, zmq::message_t(body.data(), body.size()));
}

void Router::send(const std::string& to, bool with_delimiter, zmq::message_t body) {
  constexpr auto kMore = zmq::send_flags::sndmore | zmq::send_flags::dontwait;
  is_used_ = true;  // sending may clear the signal of a message that came
  try {
    if (!socket_.send(zmq::buffer(to), kMore)) return;
    if (with_delimiter) socket_.send(zmq::message_t(), kMore);
    socket_.send(std::move(body), zmq::send_flags::dontwait);
  } catch (const zmq::error_t&) {  // NOLINT(bugprone-empty-catch): it is gone
  }
}

}  // namespace kinloop::io
