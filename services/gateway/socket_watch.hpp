// Owns SocketWatch: waits for a ZeroMQ socket in the thread of an io_context.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <memory>
#include <zmq.hpp>

namespace kinloop::gateway {

/// A socket's descriptor tells of changes only: a message may be there without the descriptor being readable, as soon
/// as anything was done with the socket. So whoever sends calls look() afterwards.
class SocketWatch {
 public:
  static constexpr int kMaxAtOnce = 128;

  /// `take` gets each message, all its parts one after the other; true: more parts follow.
  using Take = std::function<void(zmq::message_t& part, bool has_more)>;

  SocketWatch(boost::asio::io_context& context, zmq::socket_t& socket, Take take)
      : self_(std::make_shared<Self>(context, socket, std::move(take))) {
    self_->wait();
    look();
  }
  ~SocketWatch() {
    self_->is_over = true;
    self_->descriptor.release();  // it is the socket's
  }
  SocketWatch(const SocketWatch&) = delete;
  SocketWatch& operator=(const SocketWatch&) = delete;

  /// Soon, not in the middle of what is being done.
  void look() { Self::look_soon(self_); }

 private:
  struct Self : std::enable_shared_from_this<Self> {
    Self(boost::asio::io_context& io, zmq::socket_t& zmq_socket, Take&& function)
        : context(io),
          socket(zmq_socket),
          take(std::move(function)),
          descriptor(io, zmq_socket.get(zmq::sockopt::fd)) {}

    void wait() {
      descriptor.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                            [self = shared_from_this()](boost::system::error_code error) {
                              if (error || self->is_over) return;
                              self->drain();
                              if (!self->is_over) self->wait();
                            });
    }
    static void look_soon(const std::shared_ptr<Self>& self) {
      if (self->is_posted) return;
      self->is_posted = true;
      boost::asio::post(self->context, [self] {
        self->is_posted = false;
        if (!self->is_over) self->drain();
      });
    }
    /// Bounded: others want to be heard too.
    void drain() {
      zmq::message_t part;
      for (int i = 0; i < kMaxAtOnce; ++i) {
        if (is_over || !socket.recv(part, zmq::recv_flags::dontwait)) return;
        take(part, part.more());
      }
      look_soon(shared_from_this());
    }

    boost::asio::io_context& context;
    zmq::socket_t& socket;
    Take take;
    boost::asio::posix::stream_descriptor descriptor;
    bool is_over = false, is_posted = false;
  };
  std::shared_ptr<Self> self_;
};

}  // namespace kinloop::gateway
