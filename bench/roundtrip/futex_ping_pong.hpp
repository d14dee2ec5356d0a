// Owns the reference measurement of shared memory: two processes that wake each other through a futex, with nothing in
// between.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

namespace kinloop::bench {

class FutexPingPong {
 public:
  FutexPingPong();
  ~FutexPingPong();
  FutexPingPong(const FutexPingPong&) = delete;
  FutexPingPong& operator=(const FutexPingPong&) = delete;

  /// To the other side and back.
  void once();

 private:
  struct Words {
    alignas(64) std::atomic<std::uint32_t> there{0};
    alignas(64) std::atomic<std::uint32_t> back{0};
  };
  [[noreturn]] void answer_for_ever();

  Words* words_;
  std::uint32_t count_ = 0;
  pid_t other_ = 0;
};

}  // namespace kinloop::bench
