// Owns the count of heap allocations, of a thread or of all, taken at malloc itself since Eigen bypasses operator new.
#pragma once

#include <cstdint>

namespace kinloop {

/// Counts the allocations of the constructing thread since construction.
///
/// Sanitizers bring a malloc of their own, which cannot be interposed: there the count stays 0, and constructing one
/// marks the running test as skipped, so that no test passes on a count that was never taken.
class AllocationCount {
 public:
  AllocationCount();

  /// Calls of malloc, calloc, realloc, posix_memalign, aligned_alloc and memalign. Call it in the constructing thread.
  std::int64_t value() const noexcept;

  /// False under a sanitizer.
  static bool is_supported() noexcept;

 private:
  std::int64_t start_;
};

/// Counts the allocations of all threads since construction, but for those that one library calls for itself. One at a
/// time; sanitizers as above.
class ProcessAllocationCount {
 public:
  /// `library` is a part of its file's name: "libzmq".
  explicit ProcessAllocationCount(const char* library);
  ~ProcessAllocationCount();
  ProcessAllocationCount(const ProcessAllocationCount&) = delete;
  ProcessAllocationCount& operator=(const ProcessAllocationCount&) = delete;

  std::int64_t value() const noexcept;
  /// Of the library.
  std::int64_t passed_over() const noexcept;
};

}  // namespace kinloop
