// Owns the interface of a crew: workers who do jobs side by side. Core has no threads of its own; services/base brings
// some.
#pragma once

#include <functional>

namespace kinloop {

class Crew {
 public:
  Crew() = default;
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  virtual ~Crew() = default;

  virtual int workers() const noexcept = 0;
  /// Does every job from 0 to jobs - 1 once, each by one of the workers (0 to workers() - 1), and returns when all are
  /// done. Which worker does which, and in which order, is left open.
  virtual void run(int jobs, const std::function<void(int worker, int job)>& job) = 0;
};

}  // namespace kinloop
