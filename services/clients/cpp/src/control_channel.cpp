// Asks, waits, asks again with the same number: the plant does it once, however often it is asked.
#include "src/control_channel.hpp"

#include <algorithm>
#include <random>

#include "src/decode.hpp"

namespace kinloop::client {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kSchemaVersion = 1;
constexpr milliseconds kLook{100};  // between two looks at gives_up

std::uint64_t random_client() {
  std::random_device source;
  const std::uint64_t client = (static_cast<std::uint64_t>(source()) << 32U) | source();
  return client == 0 ? 1 : client;  // 0 would say: not told
}

Error refusal(const v1::Error& error) {
  return {ErrorKind::kRefused, error.message().empty() ? v1::ErrorCode_Name(error.code()) : error.message(),
          error.code(), error.field()};
}

}  // namespace

ControlChannel::ControlChannel(Socket socket, std::string address, const Options& options)
    : socket_(std::move(socket)),
      address_(std::move(address)),
      ask_again_after_(std::max(milliseconds(1), options.ask_again_after)),
      has_keys_(options.keys.wants_curve()),
      gives_up_(options.gives_up),
      client_(random_client()) {}

Result<ControlChannel> ControlChannel::open(const Context& context, const std::string& address,
                                            const Options& options) {
  Result<Socket> socket = Socket::open(context, {}, options.keys, address);
  if (!socket) return socket.error();
  return ControlChannel(std::move(*socket), address, options);
}

Result<v1::ControlReply> ControlChannel::ask(v1::ControlRequest& request, milliseconds timeout, Asking asking) {
  const std::uint64_t id = ++last_request_;
  request.set_version(kSchemaVersion);
  request.set_client(client_);
  request.set_request_id(id);
  if (!request.SerializeToString(&bytes_)) return Error{ErrorKind::kUsage, "the request cannot be written as bytes"};

  const Clock::time_point end = Clock::now() + timeout;
  do {
    socket_.send(bytes_);  // without room there is no connection either: then asking again comes too late as well
    const Clock::time_point until = asking == Asking::kAgain ? std::min(end, Clock::now() + ask_again_after_) : end;
    v1::ControlReply* reply = await(id, until);
    if (reply != nullptr) {
      if (reply->has_error()) return refusal(reply->error());
      return std::move(*reply);
    }
    if (gives_up()) {
      cancel(id);
      return Error{ErrorKind::kCancelled, "given up before the plant answered"};
    }
  } while (Clock::now() < end);
  return no_answer(timeout);
}

v1::ControlReply* ControlChannel::await(std::uint64_t request_id, Clock::time_point until) {
  while (true) {
    while (socket_.receive_now(*inbox_)) {
      // Answers to earlier requests, too late for those who asked, end here.
      const bool is_reply = inbox_->parts() == 1 && decode_reply(inbox_->part(0), reply_);
      if (is_reply && reply_.request_id() == request_id) return &reply_;
    }
    const Clock::time_point now = Clock::now();
    if (now >= until || gives_up()) return nullptr;
    socket_.wait_to_receive(std::min(until, now + kLook));
  }
}

void ControlChannel::ask_stop() {
  const Clock::time_point now = Clock::now();
  if (first_stop_ != 0 && now < next_stop_) return;
  next_stop_ = now + ask_again_after_;
  v1::ControlRequest request;
  request.set_version(kSchemaVersion);
  request.set_client(client_);
  request.set_request_id(++last_request_);
  request.mutable_emergency_stop();
  if (first_stop_ == 0) first_stop_ = last_request_;
  if (request.SerializeToString(&bytes_)) socket_.send(bytes_);
}

std::optional<Result<v1::ControlReply>> ControlChannel::take_stop() {
  while (socket_.receive_now(*inbox_)) {
    const bool is_reply = inbox_->parts() == 1 && decode_reply(inbox_->part(0), reply_);
    if (!is_reply || first_stop_ == 0 || reply_.request_id() < first_stop_) continue;
    if (reply_.has_error()) return Result<v1::ControlReply>(refusal(reply_.error()));
    return Result<v1::ControlReply>(std::move(reply_));
  }
  return std::nullopt;
}

void ControlChannel::cancel(std::uint64_t request_id) {
  v1::ControlRequest request;
  request.set_version(kSchemaVersion);
  request.set_client(client_);
  request.set_request_id(++last_request_);
  request.mutable_cancel()->set_request_id(request_id);
  if (!request.SerializeToString(&bytes_)) return;
  socket_.send(bytes_);
  // Sockets do not linger: the answer says that it arrived.
  const auto still_patient = std::exchange(gives_up_, {});
  await(last_request_, Clock::now() + ask_again_after_);
  gives_up_ = still_patient;
}

Error ControlChannel::no_answer(milliseconds timeout) const {
  std::string message = address_ + " does not answer within " + std::to_string(timeout.count()) + " ms";
  if (address_.starts_with("tcp://")) {
    message += has_keys_ ? ": is it the address of a control socket, and does the plant know this key?"
                         : ": is it the address of a control socket, and does it ask for keys?";
  } else {
    message += ": does the plant still run?";
  }
  return {ErrorKind::kNoAnswer, std::move(message)};
}

}  // namespace kinloop::client
