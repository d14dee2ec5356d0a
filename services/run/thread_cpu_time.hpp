// Owns ThreadCpuTime: how much processor time a thread of any process has used, as the kernel tells in /proc.
#pragma once

#include <atomic>
#include <cstdint>

#include "rt/policies/watchdog.hpp"

namespace kinloop::run {

class ThreadCpuTime final : public rt::CpuTime {
 public:
  /// The number of the thread may come later; 0: not yet.
  explicit ThreadCpuTime(const std::atomic<std::int32_t>& thread) noexcept : thread_(thread) {}

  std::int64_t used_ns() noexcept override;

 private:
  const std::atomic<std::int32_t>& thread_;
};

}  // namespace kinloop::run
