// Names it by time and process, so that two runs never share one.
#include "services/run/run_directory.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>

#include "services/base/control_characters.hpp"

namespace kinloop::run {
namespace {

/// Not what somebody else has put in its place, nor a link to elsewhere.
bool is_own_folder(const std::filesystem::path& path) {
  struct stat file {};
  return ::lstat(path.c_str(), &file) == 0 && S_ISDIR(file.st_mode) && file.st_uid == ::geteuid();
}

}  // namespace

Result<RunDirectory> RunDirectory::create(const std::filesystem::path& parent, const std::string& name) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc);
  std::string safe = name;  // a name, not a way to another place
  std::replace_if(
      safe.begin(), safe.end(), [](char c) { return c == '/' || is_control_character(c); }, '_');
  if (safe.starts_with('.')) safe.front() = '_';
  const std::filesystem::path path = parent / (safe + "-" + text.data() + "-" + std::to_string(::getpid()));
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  if (!error && ::mkdir(path.c_str(), 0777) != 0 && !(errno == EEXIST && is_own_folder(path))) {
    error = {errno, std::generic_category()};
  }
  if (error) return Error{path.string(), error.message()};
  return RunDirectory(path);
}

}  // namespace kinloop::run
