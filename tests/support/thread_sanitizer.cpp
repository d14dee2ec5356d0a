// Owns what the thread sanitizer is told not to report: it cannot see how libraries that were built without it hand
// over memory from thread to thread.

// NOLINTNEXTLINE: the name is the sanitizer's.
extern "C" const char* __tsan_default_suppressions();

// NOLINTNEXTLINE
extern "C" const char* __tsan_default_suppressions() {
  return "race:libzmq.so\n"
         "called_from_lib:libzmq.so\n"
         "race:libsodium.so\n";
}
