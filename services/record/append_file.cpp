// POSIX calls, since a stream hides why it failed and how far it came.
#include "services/record/append_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "services/base/error_text.hpp"
#include "services/record/crc32.hpp"

namespace kinloop::record {
namespace {

constexpr mode_t kMode = 0666;  // less what the user's mask takes away

}  // namespace

Result<AppendFile> AppendFile::create(const std::filesystem::path& path) {
  // O_APPEND: after a cut the next block follows the last whole one by itself.
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, kMode);
  if (descriptor >= 0) return AppendFile(path, descriptor);
  if (errno == EEXIST)
    return Error{path.string(), "is there already, and no record is written over: name another file"};
  return Error{path.string(), "cannot make the file: " + host::error_text()};
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(other.size_),
      crc_(other.crc_),
      has_rest_(other.has_rest_),
      trouble_(std::move(other.trouble_)) {}

AppendFile& AppendFile::operator=(AppendFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  std::swap(crc_, other.crc_);
  std::swap(has_rest_, other.has_rest_);
  std::swap(trouble_, other.trouble_);
  return *this;
}

AppendFile::~AppendFile() { close(); }

bool AppendFile::append(std::string_view block) {
  if (descriptor_ < 0) return fail(EBADF);
  if (has_rest_ && !cut_rest()) return false;
  for (std::string_view rest = block; !rest.empty();) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int why = written < 0 ? errno : ENOSPC;
      has_rest_ = rest.size() < block.size();
      if (has_rest_) cut_rest();
      return fail(why);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  size_ += block.size();
  crc_ = crc32(block, crc_);
  return true;
}

bool AppendFile::close() {
  if (descriptor_ < 0) return true;
  if (has_rest_) cut_rest();
  const int code = ::close(std::exchange(descriptor_, -1));
  return code == 0 || fail(errno);
}

bool AppendFile::fail(int error_number) {
  trouble_ = host::error_text(error_number);
  return false;
}

bool AppendFile::cut_rest() {
  while (::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) {
    if (errno != EINTR) return fail(errno);
  }
  has_rest_ = false;
  return true;
}

}  // namespace kinloop::record
