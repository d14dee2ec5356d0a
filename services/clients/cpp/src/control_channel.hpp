// Owns ControlChannel: requests and their answers, each matched by its number.
#pragma once

#include <kinloop/v1/control.pb.h>
#include <kinloop/client/options.hpp>
#include <optional>

#include "src/socket.hpp"

namespace kinloop::client {

/// Whether a request without an answer may be sent again; jobs (VerbProperties) are asked for once.
enum class Asking { kAgain, kOnce };

class ControlChannel {
 public:
  static Result<ControlChannel> open(const Context& context, const std::string& address, const Options& options);

  /// Fills in version, client and number. A refusal is an error.
  Result<v1::ControlReply> ask(v1::ControlRequest& request, std::chrono::milliseconds timeout, Asking asking);

  /// A stop of its own from here on: what is still on its way answers an earlier one.
  void begin_stop() noexcept { first_stop_ = 0; }
  /// Sends an emergency stop, each time with a number of its own: a stop is never the repetition of another. Not more
  /// often than other requests are repeated.
  void ask_stop();
  /// The answer to any of them, or its refusal; nothing: none came yet. Never waits.
  std::optional<Result<v1::ControlReply>> take_stop();
  zmq_pollitem_t poll_item() const noexcept { return socket_.poll_item(); }

  Error no_answer(std::chrono::milliseconds timeout) const;

  const std::string& address() const noexcept { return address_; }

 private:
  ControlChannel(Socket socket, std::string address, const Options& options);

  /// The answer to that number, or nullptr if none came until then or the caller gave up.
  v1::ControlReply* await(std::uint64_t request_id, Clock::time_point until);
  bool gives_up() const { return gives_up_ && gives_up_(); }
  void cancel(std::uint64_t request_id);

  Socket socket_;
  std::unique_ptr<Inbox> inbox_ = std::make_unique<Inbox>();
  std::string address_;
  std::chrono::milliseconds ask_again_after_;
  bool has_keys_;
  std::function<bool()> gives_up_;
  std::uint64_t client_;
  std::uint64_t last_request_ = 0;
  std::uint64_t first_stop_ = 0;  // that was asked for since begin_stop(); 0: none yet
  Clock::time_point next_stop_;
  v1::ControlReply reply_;
  std::string bytes_;
};

}  // namespace kinloop::client
