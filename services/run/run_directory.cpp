// Names it by time and process, so that two runs never share one.
#include "services/run/run_directory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <system_error>

namespace kinloop::run {

Result<RunDirectory> RunDirectory::create(const std::filesystem::path& parent, const std::string& name) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc);
  std::string safe = name;  // a name, not a way to another place
  std::replace(safe.begin(), safe.end(), '/', '_');
  if (safe.starts_with('.')) safe.front() = '_';
  const std::filesystem::path path = parent / (safe + "-" + text.data() + "-" + std::to_string(::getpid()));
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return Error{path.string(), error.message()};
  return RunDirectory(path);
}

}  // namespace kinloop::run
