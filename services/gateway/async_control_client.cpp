// Matches answers to requests by number.
#include "services/gateway/async_control_client.hpp"

#include <chrono>

#include "rt/timing/clock.hpp"
#include "services/wire/wire_error.hpp"

namespace kinloop::gateway {
namespace {

constexpr std::int64_t kPatience_ns = 70'000'000'000;  // a capture may wait for a minute
constexpr std::chrono::seconds kBetweenSweeps{1};
constexpr std::size_t kMaxRequests = 256;

v1::ControlReply refusal(std::uint64_t id, v1::ErrorCode code, const char* text) {
  v1::ControlReply reply;
  reply.set_request_id(id);
  *reply.mutable_error() = wire::wire_error(code, text);
  return reply;
}

}  // namespace

AsyncControlClient::AsyncControlClient(boost::asio::io_context& context, zmq::context_t& sockets,
                                       const std::string& control, std::uint64_t client)
    : client_(client),
      socket_(connect_dealer(sockets, control)),
      timer_(context),
      watch_(context, socket_, [this](zmq::message_t& part, bool has_more) { take(part, has_more); }) {
  sweep();
}

void AsyncControlClient::ask(v1::ControlRequest request, Answer answer) {
  const std::uint64_t asked_as = request.request_id();
  if (waiting_.size() >= kMaxRequests) {
    return answer(refusal(asked_as, v1::ERROR_CODE_BUSY, "too many requests wait: try later"));
  }
  request.set_version(1);
  request.set_client(client_);
  request.set_request_id(++last_id_);
  if (!send(socket_, request)) {
    return answer(refusal(asked_as, v1::ERROR_CODE_BUSY, "the plant's sockets do not answer"));
  }
  waiting_[last_id_] = {std::move(answer), rt::MonotonicClock().now_ns() + kPatience_ns, asked_as};
  watch_.look();
}

void AsyncControlClient::take(zmq::message_t& part, bool has_more) {
  v1::ControlReply reply;
  if (has_more || !reply.ParseFromArray(part.data(), static_cast<int>(part.size()))) return;
  const auto found = waiting_.find(reply.request_id());
  if (found == waiting_.end()) return;
  const Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  reply.set_request_id(waiting.asked_as);
  waiting.answer(reply);
}

void AsyncControlClient::sweep() {
  const std::int64_t now_ns = rt::MonotonicClock().now_ns();
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    if (now_ns < it->second.until_ns) {
      ++it;
      continue;
    }
    const Waiting late = std::move(it->second);
    it = waiting_.erase(it);
    late.answer(refusal(late.asked_as, v1::ERROR_CODE_PLANT, "the plant did not answer in time"));
  }
  timer_.expires_after(kBetweenSweeps);
  timer_.async_wait([this](boost::system::error_code stopped) {
    if (!stopped) sweep();
  });
}

}  // namespace kinloop::gateway
