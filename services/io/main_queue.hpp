// Owns MainQueue: how other threads of io hand something to its main thread, which waits for sockets.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

namespace kinloop::io {

class MainQueue {
 public:
  MainQueue();
  ~MainQueue();
  MainQueue(const MainQueue&) = delete;
  MainQueue& operator=(const MainQueue&) = delete;

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
