// Owns SharedMemory: a memory file between the processes of a plant, written by one of them.
//
// Its size is sealed: no process can shrink it under another, which would kill that one on its next access. Pages are
// there from the start, and locked where the host permits, so that no access faults. Who is not its writer gets a
// descriptor by which it cannot be mapped for writing; once its writer has mapped it, nobody can any more.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

#include "core/base/result.hpp"

namespace kinloop::rt {

enum class Access { kRead, kWrite };

class SharedMemory {
 public:
  /// A new file of zeros, mapped for writing. The name is only shown, in /proc/PID/maps.
  static Result<SharedMemory> create(const std::string& name, std::size_t size);
  /// The file that another process made, which must be sealed and of this very size. The descriptor is the
  /// caller's until this succeeds.
  static Result<SharedMemory> open(int descriptor, std::size_t size, Access access);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  /// From now on nobody can map it for writing who has not done so; false where the kernel does not know how.
  bool forbid_new_writers() noexcept;
  /// From now on this process only reads it.
  void give_up_writing() noexcept;

  /// To hand to a child process; closed on exec unless it is told otherwise.
  int descriptor() const noexcept { return descriptor_; }
  /// Another descriptor, the caller's, by which it can only be read; -1: there is none to be had.
  int reading_descriptor() const noexcept;
  std::size_t size() const noexcept { return size_; }
  void* data() const noexcept { return data_; }

  /// Why the pages are not locked, empty where they are.
  const std::string& not_locked() const noexcept { return not_locked_; }

 private:
  SharedMemory(int descriptor, void* data, std::size_t size, std::string not_locked) noexcept;
  static Result<SharedMemory> map(int descriptor, std::size_t size, Access access);

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
