// Owns the check of preconditions: a broken one is a bug of the caller, so it prints the place and aborts.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace kinloop {

/// Aborts with the caller's place unless `condition` holds.
inline void require(bool condition, const char* expectation,
                    std::source_location place = std::source_location::current()) noexcept {
  if (condition) [[likely]]
    return;
  std::fprintf(stderr, "%s:%u: broken precondition: %s\n", place.file_name(), static_cast<unsigned>(place.line()),
               expectation);
  std::abort();
}

}  // namespace kinloop
