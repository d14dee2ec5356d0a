// POSIX calls, since a stream hides why it failed.
#include "services/base/write_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "services/base/error_text.hpp"

namespace kinloop {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxAttempts = 100;
constexpr mode_t kMode = 0666;  // less what the user's mask takes away

std::optional<WriteFailure> write_in_place(const fs::path& path, std::string_view bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return WriteFailure{{path.string(), host::error_text()}, WriteStage::kOpen};
  const bool is_written = write_all(descriptor, bytes);
  const std::string why = host::error_text();
  const bool is_closed = ::close(descriptor) == 0;
  if (!is_written) return WriteFailure{{path.string(), why}, WriteStage::kWrite};
  if (!is_closed) return WriteFailure{{path.string(), host::error_text()}, WriteStage::kWrite};
  return std::nullopt;
}

std::optional<WriteFailure> replace(const fs::path& shown, const fs::path& path, std::string_view bytes) {
  fs::path beside;
  int descriptor = -1;
  for (int i = 0; i < kMaxAttempts && descriptor < 0; ++i) {
    beside = path.string() + ".part" + std::to_string(::getpid()) + "." + std::to_string(i);
    descriptor = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  if (descriptor < 0) return WriteFailure{{shown.string(), host::error_text()}, WriteStage::kOpen};
  const bool is_written = write_all(descriptor, bytes);
  std::string why = is_written ? "" : host::error_text();
  if (::close(descriptor) != 0 && why.empty()) why = host::error_text();
  if (why.empty() && ::rename(beside.c_str(), path.c_str()) != 0) why = host::error_text();
  if (why.empty()) return std::nullopt;
  ::unlink(beside.c_str());
  return WriteFailure{{shown.string(), why}, WriteStage::kWrite};
}

}  // namespace

bool write_all(int descriptor, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::optional<WriteFailure> write_file(const fs::path& path, std::string_view bytes) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status)) return replace(path, path, bytes);
  if (fs::is_directory(status)) return WriteFailure{{path.string(), "is a directory"}, WriteStage::kOpen};
  if (!fs::is_regular_file(status)) return write_in_place(path, bytes);
  if (::access(path.c_str(), W_OK) != 0) return WriteFailure{{path.string(), host::error_text()}, WriteStage::kOpen};
  const fs::path target = fs::canonical(path, ignored);  // a link stays a link
  return replace(path, target.empty() ? path : target, bytes);
}

}  // namespace kinloop
