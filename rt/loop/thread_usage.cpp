// Page faults and context switches of this thread, by getrusage.
#include "rt/loop/thread_usage.hpp"

#include <sys/resource.h>

namespace kinloop::rt {

ThreadUsage thread_usage() noexcept {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return {usage.ru_minflt, usage.ru_majflt, usage.ru_nvcsw, usage.ru_nivcsw};
}

}  // namespace kinloop::rt
