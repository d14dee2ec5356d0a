// Owns the reference measurement: two processes that send messages of given sizes to and fro over ipc, with nothing in
// between.
#pragma once

#include <sys/types.h>

#include <string>
#include <zmq.hpp>

namespace kinloop::bench {

class PingPong {
 public:
  /// The other side answers each message of `there` bytes by one of `back` bytes, in a process of its own.
  PingPong(const std::string& folder, std::size_t there, std::size_t back);
  ~PingPong();
  PingPong(const PingPong&) = delete;
  PingPong& operator=(const PingPong&) = delete;

  /// To the other side and back.
  void once();

 private:
  std::string address_;
  std::string message_;
  pid_t other_ = 0;
  zmq::context_t context_;
  zmq::socket_t socket_;
  zmq::message_t answer_;
};

}  // namespace kinloop::bench
