// fstat, and the numbers of syslog.
#include "services/log/journal_stream.hpp"

#include <sys/stat.h>

#include <charconv>
#include <cstdint>
#include <optional>

namespace kinloop::log {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool is_journal_stream(int descriptor, const char* journal_stream) noexcept {
  if (journal_stream == nullptr) return false;
  const std::string_view text = journal_stream;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto device = whole_number(text.substr(0, colon));
  const auto inode = whole_number(text.substr(colon + 1));
  struct stat file {};
  if (!device || !inode || ::fstat(descriptor, &file) != 0) return false;
  return file.st_dev == *device && file.st_ino == *inode;
}

std::string_view journal_prefix(Level level) noexcept {
  switch (level) {
    case Level::kTrace:
    case Level::kDebug:
      return "<7>";
    case Level::kInfo:
      return "<6>";
    case Level::kWarning:
      return "<4>";
    case Level::kError:
      return "<3>";
  }
  return "<6>";
}

}  // namespace kinloop::log
