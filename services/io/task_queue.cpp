// An eventfd, since sockets and descriptors can be waited for together.
#include "services/io/task_queue.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace kinloop::io {

TaskQueue::TaskQueue() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

TaskQueue::~TaskQueue() { ::close(descriptor_); }

void TaskQueue::post(std::function<void()> work) {
  {
    const std::lock_guard guard(mutex_);
    work_.push_back(std::move(work));
  }
  wake();
}

void TaskQueue::wake() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, &one, sizeof one);  // full: it is awake already
}

void TaskQueue::run() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t taken = ::read(descriptor_, &count, sizeof count);
  {
    const std::lock_guard guard(mutex_);
    running_.swap(work_);
  }
  for (const auto& work : running_) work();
  running_.clear();
}

}  // namespace kinloop::io
