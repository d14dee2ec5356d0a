// Memory files of Linux: memfd_create with seals.
#include "rt/ipc/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace kinloop::rt {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Error failed(const char* what) { return {"shared memory", std::string(what) + ": " + std::strerror(errno)}; }

}  // namespace

SharedMemory::SharedMemory(int descriptor, void* data, std::size_t size, std::string not_locked) noexcept
    : descriptor_(descriptor), data_(data), size_(size), not_locked_(std::move(not_locked)) {}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      size_(other.size_),
      not_locked_(std::move(other.not_locked_)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(not_locked_, other.not_locked_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) ::munmap(data_, size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<SharedMemory> SharedMemory::create(const std::string& name, std::size_t size) {
  const int descriptor = ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return failed("memfd_create");
  if (::ftruncate(descriptor, static_cast<off_t>(size)) != 0 || ::fcntl(descriptor, F_ADD_SEALS, kSeals) != 0) {
    const Error error = failed("ftruncate and seals");
    ::close(descriptor);
    return error;
  }
  Result<SharedMemory> mapped = map(descriptor, size);
  if (!mapped) ::close(descriptor);
  return mapped;
}

Result<SharedMemory> SharedMemory::open(int descriptor, std::size_t size) {
  struct stat file {};
  const int seals = ::fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || ::fstat(descriptor, &file) != 0) return failed("descriptor is no memory file");
  if ((seals & kSeals) != kSeals) return Error{"shared memory", "the file is not sealed"};
  if (file.st_size != static_cast<off_t>(size)) {
    return Error{"shared memory", "the file has " + std::to_string(file.st_size) + " bytes, not " +
                                      std::to_string(size) + ": the processes are of different versions"};
  }
  return map(descriptor, size);
}

Result<SharedMemory> SharedMemory::map(int descriptor, std::size_t size) {
  void* const data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (data == MAP_FAILED) return failed("mmap");
  std::string not_locked;
  if (::mlock(data, size) != 0) not_locked = std::strerror(errno);
  return SharedMemory(descriptor, data, size, std::move(not_locked));
}

}  // namespace kinloop::rt
