// Owns Echo: what a stop costs on this machine at least, without a plant: a byte to a thread of the stop server's
// priority, which sleeps for a tick as the plant would, and back.
#pragma once

#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

namespace kinloop::bench {

class Echo {
 public:
  Echo() {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) != 0) return;
    thread_ = std::thread([this] { serve(); });
  }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;
  ~Echo() {
    ::shutdown(ends_[0], SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    for (const int end : ends_) ::close(end);
  }

  /// How long one takes.
  std::chrono::steady_clock::duration ask() {
    const auto begin = std::chrono::steady_clock::now();
    char byte = 1;
    const bool came = ::write(ends_[0], &byte, 1) == 1 && ::read(ends_[0], &byte, 1) == 1;
    return came ? std::chrono::steady_clock::now() - begin : std::chrono::hours(1);
  }

 private:
  void serve() {
    sched_param priority{};
    priority.sched_priority = 50;
    ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &priority);
    for (char byte = 0; ::read(ends_[1], &byte, 1) == 1;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (::write(ends_[1], &byte, 1) != 1) return;
    }
  }

  std::array<int, 2> ends_{-1, -1};
  std::thread thread_;
};

}  // namespace kinloop::bench
