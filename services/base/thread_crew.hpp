// Owns ThreadCrew: a crew of threads, for work that may take all processors it is given.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "core/batch/crew.hpp"

namespace kinloop {

/// The caller of run() is worker 0; the others are threads that wait between the runs. run() is for one thread at a
/// time. A job must not throw.
class ThreadCrew final : public Crew {
 public:
  /// With one worker there are no threads.
  explicit ThreadCrew(int workers);
  ~ThreadCrew() override;

  int workers() const noexcept override { return static_cast<int>(threads_.size()) + 1; }
  void run(int jobs, const std::function<void(int worker, int job)>& job) override;

  /// As many as this process may use processors, at least 1.
  static int processors() noexcept;

 private:
  void work(int worker);
  void take_jobs(int worker);

  std::mutex mutex_;
  std::condition_variable begun_, finished_;
  const std::function<void(int, int)>* job_ = nullptr;  // of the run under way; all below is guarded by the mutex
  int jobs_ = 0, next_ = 0;
  int busy_ = 0;  // threads that have not found the jobs all taken
  long long run_ = 0;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kinloop
