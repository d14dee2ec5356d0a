// Owns the thread for work that takes its time: linearisations, roll-outs. It has a plant of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace kinloop::io {

/// What a job looks at and shows now and then.
struct JobControl {
  const std::atomic<bool>& cancelled;  // it is not wanted any more
  std::atomic<std::uint64_t>& pulse;   // to be counted up by one that takes long: it goes on
};

/// One after the other. Each job looks now and then whether it is still wanted.
class JobThread {
 public:
  static constexpr std::size_t kMaxWaiting = 8;

  using Work = std::function<void(JobControl& control)>;

  /// The name is for ps and top.
  explicit JobThread(const char* name);
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  /// False where too many wait already. `owner`: by whom all of its jobs can be cancelled.
  bool add(std::uint64_t key, const std::string& owner, Work work);
  /// The same for work whose number is bounded by who asks for it: never refused, never cancelled by key.
  void add_bounded(Work work);
  /// Whether there was one: waiting or under way, it is still called, and sees that it is cancelled.
  bool cancel(std::uint64_t key);
  void cancel_all_of(const std::string& owner);

  /// Changes several times a second while the thread goes round and its job goes on.
  std::uint64_t pulse() const noexcept { return pulse_.load(std::memory_order_relaxed); }

 private:
  struct Job {
    std::uint64_t key = 0;
    std::string owner;
    Work work;
    std::shared_ptr<std::atomic<bool>> cancelled;
  };
  void push(Job job);
  template <class Condition>
  bool cancel_those(const Condition& condition);
  void run(const char* name);

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::deque<Job> jobs_;  // the first is under way
  bool stops_ = false;
  std::atomic<std::uint64_t> pulse_{0};
  std::thread thread_;
};

}  // namespace kinloop::io
