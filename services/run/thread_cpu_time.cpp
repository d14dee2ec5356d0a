// Reads schedstat: nanoseconds on a processor come first.
#include "services/run/thread_cpu_time.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>

namespace kinloop::run {

std::int64_t ThreadCpuTime::used_ns() noexcept {
  std::array<char, 48> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/schedstat", thread_.load(std::memory_order_relaxed));
  const int file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  std::array<char, 64> text{};
  const ssize_t count = ::read(file, text.data(), text.size());
  ::close(file);
  std::int64_t used_ns = -1;
  if (count <= 0 || std::from_chars(text.data(), text.data() + count, used_ns).ec != std::errc()) return -1;
  return used_ns;
}

}  // namespace kinloop::run
