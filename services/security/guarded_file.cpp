// Opens first and looks at what it has opened, so that nothing can change in between.
#include "services/security/guarded_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "services/base/error_text.hpp"

namespace kinloop::security {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = 16384;
constexpr mode_t kOthersAtAll = S_IRWXG | S_IRWXO;

class Descriptor {
 public:
  explicit Descriptor(int value) noexcept : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const noexcept { return value_; }

 private:
  int value_;
};

std::string cannot_open(const fs::path& path, std::string_view rights) {
  const bool is_forbidden = errno == EACCES;
  std::string why = "cannot be opened: " + host::error_text();
  if (!is_forbidden) return why;
  return why + "; mend it with: chmod " + std::string(rights) + " " + as_shell_word(path);
}

std::optional<std::string> objection(const struct stat& status, Guard guard, const fs::path& path) {
  if (!S_ISREG(status.st_mode)) return "is no regular file";
  if (guard == Guard::kSecret && (status.st_mode & kOthersAtAll) != 0) {
    return "others than its owner may use this secret; mend it with: chmod 600 " + as_shell_word(path);
  }
  if ((status.st_mode & S_IWOTH) != 0) {
    return "every user may write it; mend it with: chmod o-w " + as_shell_word(path);
  }
  return std::nullopt;
}

}  // namespace

std::string as_shell_word(const fs::path& path) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-+:@%";
  std::string text = path.string();
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

Result<std::string> read_guarded_file(const fs::path& path, Guard guard) {
  // Not blocking: the opening of a pipe would wait for its writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.value() < 0) return Error{path.string(), cannot_open(path, "u+r")};
  struct stat status {};
  if (::fstat(file.value(), &status) != 0) return Error{path.string(), "cannot be looked at: " + host::error_text()};
  if (const auto what = objection(status, guard, path)) return Error{path.string(), *what};
  std::string text(kMaxBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = ::read(file.value(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error{path.string(), "cannot be read: " + host::error_text()};
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > kMaxBytes) return Error{path.string(), "is too large for a key file"};
  text.resize(size);
  return text;
}

std::optional<Error> check_guarded_folder(const fs::path& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  if (folder.value() < 0) return Error{path.string(), cannot_open(path, "u+rx")};
  struct stat status {};
  if (::fstat(folder.value(), &status) != 0) return Error{path.string(), "cannot be looked at: " + host::error_text()};
  if ((status.st_mode & S_IWOTH) == 0) return std::nullopt;
  return Error{path.string(),
               "every user may put keys into this folder; mend it with: chmod o-w " + as_shell_word(path)};
}

}  // namespace kinloop::security
