// POSIX calls: no mapping, since a file that is made shorter meanwhile would end the process.
#include "services/record/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "services/base/error_text.hpp"

namespace kinloop::record {
Result<InputFile> InputFile::open(const std::filesystem::path& path) {
  // A pipe nobody writes to must not make us wait.
  InputFile file(path, ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.descriptor_ < 0) return Error{path.string(), "cannot open the file: " + host::error_text()};
  struct stat facts {};
  if (::fstat(file.descriptor_, &facts) != 0)
    return Error{path.string(), "cannot open the file: " + host::error_text()};
  if (S_ISDIR(facts.st_mode)) return Error{path.string(), "is a directory"};
  if (!S_ISREG(facts.st_mode)) return Error{path.string(), "is no regular file"};
  file.size_ = static_cast<std::uint64_t>(facts.st_size);
  return file;
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<bool> InputFile::read(std::uint64_t offset, std::span<char> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    const std::string where = path_.string() + ": byte " + std::to_string(offset);
    if (count < 0) return Error{where, "cannot read the file: " + host::error_text()};
    if (count == 0) return Error{where, "the file was made shorter while it was read"};
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace kinloop::record
