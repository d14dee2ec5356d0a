// Owns TaskQueue: tasks that other threads of io hand to its main thread, which waits for sockets.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

namespace kinloop::io {

class TaskQueue {
 public:
  TaskQueue();
  ~TaskQueue();
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  /// By any thread.
  void post(std::function<void()> work);
  /// By any thread: only wakes the main thread.
  void wake() noexcept;

  /// To wait for: readable where there is something to do.
  int descriptor() const noexcept { return descriptor_; }
  /// By the main thread.
  void run();

 private:
  int descriptor_;  // an eventfd
  std::mutex mutex_;
  std::vector<std::function<void()>> work_, running_;
};

}  // namespace kinloop::io
