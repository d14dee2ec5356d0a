// A queue of jobs and the thread that works on them, one after the other.
#include "services/io/job_thread.hpp"

#include <pthread.h>

#include <chrono>

namespace kinloop::io {
namespace {

constexpr std::chrono::milliseconds kBetweenPulses{100};

}  // namespace

JobThread::JobThread(const char* name) : thread_([this, name] { run(name); }) {}

JobThread::~JobThread() {
  {
    const std::lock_guard guard(mutex_);
    stops_ = true;
    for (const Job& job : jobs_) job.cancelled->store(true);
  }
  has_work_.notify_all();
  thread_.join();
}

bool JobThread::add(std::uint64_t key, const std::string& owner, Work work) {
  const std::lock_guard guard(mutex_);
  if (jobs_.size() >= kMaxWaiting) return false;
  push({key, owner, std::move(work), std::make_shared<std::atomic<bool>>(false)});
  return true;
}

void JobThread::add_bounded(Work work) {
  const std::lock_guard guard(mutex_);
  push({0, "", std::move(work), std::make_shared<std::atomic<bool>>(false)});
}

void JobThread::push(Job job) {
  jobs_.push_back(std::move(job));
  has_work_.notify_all();
}

bool JobThread::cancel(std::uint64_t key) {
  return cancel_those([&](const Job& job) { return job.key == key; });
}

void JobThread::cancel_all_of(const std::string& owner) {
  cancel_those([&](const Job& job) { return job.owner == owner; });
}

/// Whether there was one.
template <class Condition>
bool JobThread::cancel_those(const Condition& condition) {
  const std::lock_guard guard(mutex_);
  bool found = false;
  for (const Job& job : jobs_) {
    if (!condition(job)) continue;
    job.cancelled->store(true);
    found = true;
  }
  return found;
}

void JobThread::run(const char* name) {
  ::pthread_setname_np(::pthread_self(), name);
  std::unique_lock lock(mutex_);
  while (true) {
    pulse_.fetch_add(1, std::memory_order_relaxed);
    const bool has_job = has_work_.wait_for(lock, kBetweenPulses, [this] { return stops_ || !jobs_.empty(); });
    if (stops_) return;
    if (!has_job) continue;
    const Job job = jobs_.front();
    lock.unlock();
    JobControl control{*job.cancelled, pulse_};
    job.work(control);
    lock.lock();
    jobs_.pop_front();
  }
}

}  // namespace kinloop::io
