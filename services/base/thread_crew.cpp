// Jobs are long beside a lock, so the next one is taken under the mutex.
#include "services/base/thread_crew.hpp"

#include <sched.h>

#include <algorithm>

namespace kinloop {

ThreadCrew::ThreadCrew(int workers) {
  for (int worker = 1; worker < workers; ++worker) {
    threads_.emplace_back([this, worker] { work(worker); });
  }
}

ThreadCrew::~ThreadCrew() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  begun_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadCrew::run(int jobs, const std::function<void(int worker, int job)>& job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    jobs_ = jobs;
    next_ = 0;
    busy_ = static_cast<int>(threads_.size());
    ++run_;
  }
  begun_.notify_all();
  take_jobs(0);
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [this] { return busy_ == 0; });
  job_ = nullptr;
}

void ThreadCrew::work(int worker) {
  long long seen = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      begun_.wait(lock, [&] { return ends_ || run_ != seen; });
      if (ends_) return;
      seen = run_;
    }
    take_jobs(worker);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) finished_.notify_one();
  }
}

void ThreadCrew::take_jobs(int worker) {
  while (true) {
    const std::function<void(int, int)>* job = nullptr;
    int number = 0;
    {
      const std::lock_guard lock(mutex_);
      if (next_ >= jobs_) return;
      job = job_;
      number = next_++;
    }
    (*job)(worker, number);
  }
}

int ThreadCrew::processors() noexcept {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return std::max(1, CPU_COUNT(&allowed));
}

}  // namespace kinloop
