// Makes, then looks at what is there without following links.
#include "services/net/private_folder.hpp"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "services/base/error_text.hpp"
#include "services/net/rights.hpp"
#include "services/security/guarded_file.hpp"

namespace kinloop::net {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnerOnly = 0700;
constexpr mode_t kLockRights = 0600;
constexpr const char* kLockName = "lock";
constexpr int kMaxAttempts = 10;
constexpr std::size_t kLongestFolderName = 32;  // leaves room in the 107 characters of a socket's path

/// "crane-4711" -> 4711; nothing for what is no folder of a plant.
std::optional<pid_t> process_of(const std::string& folder_name) {
  const std::size_t dash = folder_name.rfind('-');
  if (dash == std::string::npos || dash == 0) return std::nullopt;
  pid_t pid = 0;
  const char* first = folder_name.data() + dash + 1;
  const char* last = folder_name.data() + folder_name.size();
  const auto [end, problem] = std::from_chars(first, last, pid);
  if (problem != std::errc() || end != last || pid <= 0) return std::nullopt;
  return pid;
}

bool is_running(pid_t pid) { return ::kill(pid, 0) == 0 || errno == EPERM; }

enum class Life { kAlive, kGone };

/// Of the plant of a folder.
Life life_of(const fs::path& folder, pid_t pid) {
  const int lock = ::open((folder / kLockName).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (lock < 0) return is_running(pid) ? Life::kAlive : Life::kGone;  // it may be about to make its lock
  const bool is_free = ::flock(lock, LOCK_EX | LOCK_NB) == 0;
  ::close(lock);
  return is_free ? Life::kGone : Life::kAlive;
}

/// A descriptor, or -1: somebody holds the lock, or took the folder away meanwhile.
int take_lock(const fs::path& folder) {
  const int lock = ::open((folder / kLockName).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kLockRights);
  if (lock < 0) return -1;
  struct stat held {};
  struct stat there {};
  const bool is_ours = ::flock(lock, LOCK_EX | LOCK_NB) == 0 && ::fstat(lock, &held) == 0 &&
                       ::stat((folder / kLockName).c_str(), &there) == 0 && held.st_ino == there.st_ino;
  if (is_ours) return lock;
  ::close(lock);
  return -1;
}

/// A name, not a way to another place.
std::string folder_name(const std::string& rig) {
  std::string name = rig.substr(0, kLongestFolderName);
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !is_good(c); }, '_');
  return (name.empty() ? "plant" : name) + "-" + std::to_string(::getpid());
}

}  // namespace

Result<fs::path> make_private_folder(const fs::path& path) {
  if (::mkdir(path.c_str(), kOwnerOnly) != 0 && errno != EEXIST) {
    return Error{path.string(), "cannot be made: " + host::error_text()};
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return Error{path.string(), "cannot be looked at: " + host::error_text()};
  if (S_ISLNK(status.st_mode)) {
    return Error{path.string(), "is a link, maybe put there by somebody else; remove it or set KINLOOP_RUNTIME_DIR"};
  }
  if (!S_ISDIR(status.st_mode)) return Error{path.string(), "is no folder"};
  if (status.st_uid != ::geteuid()) {
    return Error{path.string(),
                 "belongs to another user (number " + std::to_string(status.st_uid) +
                     "), who could take the plant's place; set KINLOOP_RUNTIME_DIR to a folder of yours"};
  }
  if ((status.st_mode & kOthersAtAll) != 0) {
    return Error{path.string(),
                 "others may enter this folder; mend it with: chmod 700 " + security::as_shell_word(path)};
  }
  return path;
}

fs::path runtime_folder(const Environment& environment) {
  const auto value = [&](const char* name) {
    const char* text = environment(name);
    return text == nullptr ? fs::path() : fs::path(text);
  };
  if (fs::path own = value("KINLOOP_RUNTIME_DIR"); !own.empty()) return own;
  // The specification of XDG says that a relative path there is to be ignored.
  if (const fs::path xdg = value("XDG_RUNTIME_DIR"); xdg.is_absolute()) return xdg / "kinloop";
  return "/tmp/kinloop-" + std::to_string(::geteuid());
}

fs::path runtime_folder() {
  return runtime_folder([](const char* name) { return std::getenv(name); });  // NOLINT(concurrency-mt-unsafe): reads
}

int remove_dead_plants(const fs::path& runtime) {
  std::error_code problem;
  std::vector<fs::path> dead;
  for (fs::directory_iterator entry(runtime, problem), end; !problem && entry != end; entry.increment(problem)) {
    const std::optional<pid_t> pid = process_of(entry->path().filename().string());
    const bool is_folder = fs::is_directory(entry->symlink_status(problem));
    if (pid && is_folder && life_of(entry->path(), *pid) == Life::kGone) dead.push_back(entry->path());
  }
  int removed = 0;
  for (const fs::path& folder : dead) {
    fs::remove_all(folder, problem);
    if (!problem) ++removed;
  }
  return removed;
}

Result<PlantFolder> PlantFolder::create(const fs::path& runtime, const std::string& rig) {
  const Result<fs::path> parent = make_private_folder(runtime);
  if (!parent) return parent.error();
  remove_dead_plants(runtime);
  const fs::path path = runtime / folder_name(rig);
  // Again, if one that tidied up took the new folder for a dead one.
  for (int i = 0; i < kMaxAttempts; ++i) {
    const Result<fs::path> made = make_private_folder(path);
    if (!made) return made.error();
    if (const int lock = take_lock(path); lock >= 0) return PlantFolder(path, lock);
  }
  return Error{path.string(), "is in use by a plant of this process, or cannot be locked"};
}

PlantFolder::PlantFolder(PlantFolder&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}

PlantFolder::~PlantFolder() {
  if (lock_ < 0) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::close(lock_);
}

}  // namespace kinloop::net
