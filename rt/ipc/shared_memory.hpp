// Owns SharedMemory: the one memory file between the processes of a plant.
//
// Its size is sealed: no process can shrink it under another, which would kill that one on its next access. Pages are
// there from the start, and locked where the host permits, so that no access faults.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

#include "core/base/result.hpp"

namespace kinloop::rt {

class SharedMemory {
 public:
  /// A new file of zeros. The name is only shown, in /proc/PID/maps.
  static Result<SharedMemory> create(const std::string& name, std::size_t size);
  /// The file that another process made, which must be sealed and of this very size. The descriptor is the
  /// caller's until this succeeds.
  static Result<SharedMemory> open(int descriptor, std::size_t size);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  /// To hand to a child process; closed on exec unless it is told otherwise.
  int descriptor() const noexcept { return descriptor_; }
  std::size_t size() const noexcept { return size_; }
  void* data() const noexcept { return data_; }

  /// Why the pages are not locked, empty where they are.
  const std::string& not_locked() const noexcept { return not_locked_; }

 private:
  SharedMemory(int descriptor, void* data, std::size_t size, std::string not_locked) noexcept;
  static Result<SharedMemory> map(int descriptor, std::size_t size);

  int descriptor_ = -1;
  void* data_ = nullptr;
  std::size_t size_ = 0;
  std::string not_locked_;
};

/// The first process puts its layout into the memory ...
template <class Layout>
Layout& construct_in(const SharedMemory& memory) noexcept {
  static_assert(std::is_trivially_destructible_v<Layout>);
  require(memory.size() >= sizeof(Layout), "the layout fits into the memory");
  return *new (memory.data()) Layout();
}

/// ... and the others find it there.
template <class Layout>
Layout& found_in(const SharedMemory& memory) noexcept {
  require(memory.size() >= sizeof(Layout), "the layout fits into the memory");
  return *std::launder(static_cast<Layout*>(memory.data()));
}

}  // namespace kinloop::rt
