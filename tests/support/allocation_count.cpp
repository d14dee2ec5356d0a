// Owns the interposed malloc family: each counts in a thread-local and forwards to glibc's own.
#include "tests/support/allocation_count.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KINLOOP_SANITIZER_OWNS_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define KINLOOP_SANITIZER_OWNS_MALLOC 1
#endif
#endif

namespace {

constinit thread_local std::int64_t allocations_of_this_thread = 0;

#ifdef KINLOOP_SANITIZER_OWNS_MALLOC
constexpr bool kIsSupported = false;
#else
constexpr bool kIsSupported = true;
#endif

void skip_running_test() { GTEST_SKIP() << "a sanitizer owns malloc: allocations cannot be counted"; }

}  // namespace

namespace kinloop {

AllocationCount::AllocationCount() : start_(0) {
  if (!kIsSupported) skip_running_test();
  start_ = allocations_of_this_thread;
}

std::int64_t AllocationCount::value() const noexcept { return allocations_of_this_thread - start_; }

bool AllocationCount::is_supported() noexcept { return kIsSupported; }

}  // namespace kinloop

#ifndef KINLOOP_SANITIZER_OWNS_MALLOC

// Memory from these is glibc's own, so glibc's free stays in place.
extern "C" {

void* __libc_malloc(std::size_t size);                           // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* memory, std::size_t size);            // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT(bugprone-reserved-identifier)

void* malloc(std::size_t size) noexcept {
  ++allocations_of_this_thread;
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocations_of_this_thread;
  return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  ++allocations_of_this_thread;
  return __libc_realloc(memory, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  ++allocations_of_this_thread;
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++allocations_of_this_thread;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  const bool is_power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!is_power_of_two || alignment % sizeof(void*) != 0) return EINVAL;
  ++allocations_of_this_thread;
  void* const block = __libc_memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *memory = block;
  return 0;
}

}  // extern "C"

#endif
