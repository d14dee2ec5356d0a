// Stands before the C library's functions, counts in a thread-local and forwards to them.
#include "tests/support/lock_count.hpp"

#include <dlfcn.h>
#include <pthread.h>

namespace {

constinit thread_local std::int64_t locks_of_this_thread = 0;

template <class Function>
Function* next_of(const char* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));  // NOLINT: what dlsym is for
}

}  // namespace

namespace kinloop {

LockCount::LockCount() noexcept : start_(locks_of_this_thread) {}
std::int64_t LockCount::value() const noexcept { return locks_of_this_thread - start_; }

}  // namespace kinloop

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const next = next_of<int(pthread_mutex_t*)>("pthread_mutex_lock");
  ++locks_of_this_thread;
  return next(mutex);
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  static auto* const next = next_of<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  ++locks_of_this_thread;
  return next(mutex);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  static auto* const next = next_of<int(pthread_rwlock_t*)>("pthread_rwlock_rdlock");
  ++locks_of_this_thread;
  return next(lock);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  static auto* const next = next_of<int(pthread_rwlock_t*)>("pthread_rwlock_wrlock");
  ++locks_of_this_thread;
  return next(lock);
}

}  // extern "C"
