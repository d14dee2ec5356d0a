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

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;
constexpr int kFirstDescriptor = 16;  // above those under which children find memory: none is put in another's place

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
  const int made = ::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (made < 0) return failed("memfd_create");
  const int descriptor = ::fcntl(made, F_DUPFD_CLOEXEC, kFirstDescriptor);
  ::close(made);
  if (descriptor < 0) return failed("descriptor");
  if (::ftruncate(descriptor, static_cast<off_t>(size)) != 0 || ::fcntl(descriptor, F_ADD_SEALS, kSeals) != 0) {
    const Error error = failed("ftruncate and seals");
    ::close(descriptor);
    return error;
  }
  Result<SharedMemory> mapped = map(descriptor, size, Access::kWrite);
  if (!mapped) ::close(descriptor);
  return mapped;
}

Result<SharedMemory> SharedMemory::open(int descriptor, std::size_t size, Access access) {
  struct stat file {};
  const int seals = ::fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || ::fstat(descriptor, &file) != 0) return failed("descriptor is no memory file");
  if ((seals & kSeals) != kSeals) return Error{"shared memory", "the file is not sealed"};
  if (file.st_size != static_cast<off_t>(size)) {
    return Error{"shared memory", "the file has " + std::to_string(file.st_size) + " bytes, not " +
                                      std::to_string(size) + ": the processes are of different versions"};
  }
  return map(descriptor, size, access);
}

bool SharedMemory::forbid_new_writers() noexcept {
  return ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0;
}

void SharedMemory::give_up_writing() noexcept { ::mprotect(data_, size_, PROT_READ); }

int SharedMemory::reading_descriptor() const noexcept {
  const std::string itself = "/proc/self/fd/" + std::to_string(descriptor_);
  const int opened = ::open(itself.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return -1;
  const int descriptor = ::fcntl(opened, F_DUPFD_CLOEXEC, kFirstDescriptor);
  ::close(opened);
  return descriptor;
}

Result<SharedMemory> SharedMemory::map(int descriptor, std::size_t size, Access access) {
  const int protection = access == Access::kWrite ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const data = ::mmap(nullptr, size, protection, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (data == MAP_FAILED) return failed("mmap");
  std::string not_locked;
  if (::mlock(data, size) != 0) not_locked = std::strerror(errno);
  return SharedMemory(descriptor, data, size, std::move(not_locked));
}

}  // namespace kinloop::rt
