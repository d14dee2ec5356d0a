// Both sides sleep at once: neither spins for the other.
#include "bench/roundtrip/futex_ping_pong.hpp"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <new>

namespace kinloop::bench {
namespace {

void count_and_wake(std::atomic<std::uint32_t>& word) {
  word.fetch_add(1, std::memory_order_seq_cst);
  ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

/// The new count.
std::uint32_t wait_for_more(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  std::uint32_t count = seen;
  while ((count = word.load(std::memory_order_acquire)) == seen) {
    ::syscall(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
  }
  return count;
}

}  // namespace

FutexPingPong::FutexPingPong() {
  void* const memory = ::mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  words_ = new (memory) Words();
  other_ = ::fork();
  if (other_ == 0) answer_for_ever();
}

FutexPingPong::~FutexPingPong() {
  ::kill(other_, SIGKILL);
  ::waitpid(other_, nullptr, 0);
  ::munmap(words_, sizeof(Words));
}

void FutexPingPong::answer_for_ever() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (std::uint32_t seen = 0;;) {
    seen = wait_for_more(words_->there, seen);
    count_and_wake(words_->back);
  }
}

void FutexPingPong::once() {
  count_and_wake(words_->there);
  count_ = wait_for_more(words_->back, count_);
}

}  // namespace kinloop::bench
