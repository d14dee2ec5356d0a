// Owns the reading of the small text files that a client meets.
#pragma once

#include <kinloop/client/result.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace kinloop::client {

inline std::string_view without_blanks(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Calls `use` with each line, without blanks at its ends.
template <class Use>
void for_each_line(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    use(without_blanks(text.substr(0, end)));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
}

inline Result<std::string> read_small_file(const std::filesystem::path& file, std::size_t max_bytes) {
  std::error_code failed;
  const bool is_file = std::filesystem::is_regular_file(file, failed);
  std::ifstream in(file, std::ios::binary);
  if (!is_file || !in) return Error{ErrorKind::kSystem, file.string() + ": cannot be read as a file"};
  std::string text(max_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > max_bytes) return Error{ErrorKind::kSystem, file.string() + ": is too long for what it should be"};
  return text;
}

}  // namespace kinloop::client
