// Owns the interposed malloc family: each counts in a thread-local and forwards to glibc's own.
#include "tests/support/allocation_count.hpp"

#include <gtest/gtest.h>
#include <link.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KINLOOP_SANITIZER_OWNS_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define KINLOOP_SANITIZER_OWNS_MALLOC 1
#endif
#endif

namespace {

constinit thread_local std::int64_t allocations_of_this_thread = 0;

// Of all threads, while somebody counts. Relaxed: only sums are read, once the threads have done what is counted.
constinit std::atomic<bool> counts_all{false};
constinit std::atomic<std::int64_t> allocations_of_all{0}, allocations_of_library{0};
constinit std::uintptr_t library_begin = 0, library_end = 0;  // set before counts_all

[[maybe_unused]] void note_allocation(const void* caller) noexcept {
  ++allocations_of_this_thread;
  if (!counts_all.load(std::memory_order_acquire)) return;  // the range was set before
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  const bool is_library = address >= library_begin && address < library_end;
  (is_library ? allocations_of_library : allocations_of_all).fetch_add(1, std::memory_order_relaxed);
}

int look_at_library(dl_phdr_info* info, std::size_t /*size*/, void* wanted) {
  if (std::strstr(info->dlpi_name, static_cast<const char*>(wanted)) == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    library_begin = info->dlpi_addr + part.p_vaddr;
    library_end = library_begin + part.p_memsz;
  }
  return 1;
}

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

ProcessAllocationCount::ProcessAllocationCount(const char* library) {
  if (!kIsSupported) {
    skip_running_test();
    return;
  }
  ::dl_iterate_phdr(look_at_library, const_cast<char*>(library));  // NOLINT: it is only read
  EXPECT_NE(library_begin, 0U) << library << " is not loaded";
  allocations_of_all.store(0);
  allocations_of_library.store(0);
  counts_all.store(true, std::memory_order_release);
}

ProcessAllocationCount::~ProcessAllocationCount() {
  counts_all.store(false);
  library_begin = library_end = 0;
}

std::int64_t ProcessAllocationCount::value() const noexcept { return allocations_of_all.load(); }
std::int64_t ProcessAllocationCount::passed_over() const noexcept { return allocations_of_library.load(); }

}  // namespace kinloop

#ifndef KINLOOP_SANITIZER_OWNS_MALLOC

// Memory from these is glibc's own, so glibc's free stays in place.
extern "C" {

void* __libc_malloc(std::size_t size);                           // NOLINT(bugprone-reserved-identifier)
void* __libc_calloc(std::size_t count, std::size_t size);        // NOLINT(bugprone-reserved-identifier)
void* __libc_realloc(void* memory, std::size_t size);            // NOLINT(bugprone-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT(bugprone-reserved-identifier)

void* malloc(std::size_t size) noexcept {
  note_allocation(__builtin_return_address(0));
  return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
  note_allocation(__builtin_return_address(0));
  return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  note_allocation(__builtin_return_address(0));
  return __libc_realloc(memory, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  note_allocation(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  note_allocation(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  const bool is_power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!is_power_of_two || alignment % sizeof(void*) != 0) return EINVAL;
  note_allocation(__builtin_return_address(0));
  void* const block = __libc_memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *memory = block;
  return 0;
}

}  // extern "C"

#endif
