// Owns which characters a name of a file may not hold: printed on a terminal they would command it.
#pragma once

#include <algorithm>
#include <string_view>

namespace kinloop {

inline bool is_control_character(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20U || byte == 0x7FU;
}

inline bool has_control_characters(std::string_view text) noexcept {
  return std::any_of(text.begin(), text.end(), is_control_character);
}

}  // namespace kinloop
