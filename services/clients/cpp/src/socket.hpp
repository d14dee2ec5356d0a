// Owns the wrapper around libzmq: a context, sockets, and messages of few parts. Its errors become Result or enums
// here.
#pragma once

#include <zmq.h>
#include <kinloop/client/keys.hpp>
#include <kinloop/client/result.hpp>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace kinloop::client {

using Clock = std::chrono::steady_clock;

class Context {
 public:
  /// `shared` belongs to somebody else; nullptr: it has one of its own.
  explicit Context(void* shared) noexcept
      : handle_(shared != nullptr ? shared : zmq_ctx_new()), is_own_(shared == nullptr) {}
  ~Context() {
    if (is_own_) zmq_ctx_term(handle_);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  void* handle() const noexcept { return handle_; }

 private:
  void* handle_;
  bool is_own_;
};

/// The parts of one message, kept for the next one.
class Inbox {
 public:
  static constexpr int kMaxParts = 2;

  Inbox() noexcept {
    for (zmq_msg_t& part : parts_) zmq_msg_init(&part);
  }
  ~Inbox() {
    for (zmq_msg_t& part : parts_) zmq_msg_close(&part);
  }
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// All of them, those too many included.
  int parts() const noexcept { return count_; }
  /// Valid until the next message. Precondition: index < parts() and < kMaxParts.
  std::string_view part(int index) noexcept {
    zmq_msg_t* message = &parts_[static_cast<std::size_t>(index)];
    return {static_cast<const char*>(zmq_msg_data(message)), zmq_msg_size(message)};
  }

 private:
  friend class Socket;
  std::array<zmq_msg_t, kMaxParts> parts_{};
  int count_ = 0;
};

struct SocketSettings {
  int type = ZMQ_DEALER;
  int max_waiting = 1000;
  /// Sends only over a connection that stands: what is sent while there is none is not delivered late.
  bool only_when_connected = false;
};

class Socket {
 public:
  /// Begins to connect; whether somebody is there shows later.
  static Result<Socket> open(const Context& context, const SocketSettings& settings, const Keys& keys,
                             const std::string& address);

  /// False if there is no room or no connection.
  bool send(std::string_view bytes) noexcept;
  /// False if nothing waits.
  bool receive_now(Inbox& inbox) noexcept;
  bool wait_to_receive(Clock::time_point until) noexcept { return wait(ZMQ_POLLIN, until); }
  /// After receive_now() found nothing: until something happens at the socket, which need not be a message. Costs one
  /// system call where wait_to_receive() takes several.
  void wait_for_change(Clock::time_point until) noexcept;
  bool wait_to_send(Clock::time_point until) noexcept { return wait(ZMQ_POLLOUT, until); }

  /// Of what it receives, to be waited for beside others.
  zmq_pollitem_t poll_item() const noexcept { return {handle_.get(), 0, ZMQ_POLLIN, 0}; }

  /// ZMQ_SUB only.
  void subscribe(std::string_view topic) noexcept;
  void unsubscribe(std::string_view topic) noexcept;

 private:
  struct Close {
    void operator()(void* handle) const noexcept { zmq_close(handle); }
  };
  explicit Socket(void* handle) noexcept : handle_(handle) {}
  /// True if the socket is ready; may end early, when a signal came.
  bool wait(short events, Clock::time_point until) noexcept;

  std::unique_ptr<void, Close> handle_;
};

}  // namespace kinloop::client
