// Owns the count of locks that a thread takes, at pthread_mutex_lock itself: std::mutex ends there too.
#pragma once

#include <cstdint>

namespace kinloop {

/// Counts the locks of the constructing thread since construction.
class LockCount {
 public:
  LockCount() noexcept;
  std::int64_t value() const noexcept;

 private:
  std::int64_t start_;
};

}  // namespace kinloop
