// Threads of one process under a Cobalt that keeps to its rules: argv[1] is what the process should find.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include "rt/platform/platform.hpp"

extern "C" int stand_in_sleeps;

namespace kinloop::rt::platform {
namespace {

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  ++failures;
}

bool sleeps_in_time() {
  constexpr std::int64_t kSleep_ns = 5'000'000;
  constexpr std::int64_t kLate_ns = 2'000'000'000;
  const std::int64_t start_ns = now_ns();
  sleep_until(start_ns + kSleep_ns);
  const std::int64_t slept_ns = now_ns() - start_ns;
  return slept_ns >= kSleep_ns && slept_ns < kLate_ns;
}

/// Ordinary threads lock, sleep and wake each other by Linux, whatever the main thread is.
void check_ordinary_threads() {
  const int before = stand_in_sleeps;
  std::atomic<std::uint32_t> word{0};
  std::mutex mutex;
  std::thread sleeper([&] {
    const std::lock_guard lock(mutex);
    check(sleeps_in_time(), "an ordinary thread sleeps");
    while (word.load() == 0) sleep_while(word, 0, 1'000'000'000);
  });
  std::thread waker([&] {
    word.store(1);
    wake(word);
  });
  waker.join();
  sleeper.join();
  check(stand_in_sleeps == before, "ordinary threads sleep in Linux");
}

void check_promoted() {
  check(promote(80) == 0, "the main thread is promoted");
  const int before = stand_in_sleeps;
  check(sleeps_in_time(), "a promoted thread sleeps");
  check(stand_in_sleeps == before + 1, "it sleeps in Cobalt");
  std::atomic<std::uint32_t> word{0};
  std::thread other([&] { word.store(1); });
  while (word.load() == 0) sleep_while(word, 0, 1'000'000'000);
  other.join();
}

int run(const std::string& expected) {
  check(name() == "Xenomai 3 Cobalt", "the name");
  check(!obstacle().empty(), "nobody is promoted in a process that was not prepared");
  check_ordinary_threads();
  prepare_process();
  const std::string found(obstacle());
  if (expected.empty()) {
    check(found.empty(), found.c_str());
    check_promoted();
  } else {
    check(found.find(expected) != std::string::npos, found.c_str());
    check(sleeps_in_time(), "without Cobalt, Linux sleeps");
  }
  check_ordinary_threads();
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kinloop::rt::platform

int main(int argc, char** argv) { return argc == 2 ? kinloop::rt::platform::run(argv[1]) : 2; }
