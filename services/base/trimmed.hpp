// Owns the cutting of blanks from both ends of a text.
#pragma once

#include <string_view>

namespace kinloop {

/// `blanks` are the characters that count as such; empty where there is nothing else.
inline std::string_view trimmed(std::string_view text, std::string_view blanks) noexcept {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace kinloop
