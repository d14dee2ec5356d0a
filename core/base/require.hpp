// Owns the check of preconditions: a broken one is a bug of the caller, so it prints the place and aborts.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace kinloop {

/// Aborts with the caller's place unless `condition` holds. (clang 14 has no std::source_location; its builtins it
/// has.)
inline void require(bool condition, const char* expectation, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) noexcept {
  if (condition) [[likely]]
    return;
  std::fprintf(stderr, "%s:%d: broken precondition: %s\n", file, line, expectation);
  std::abort();
}

}  // namespace kinloop
