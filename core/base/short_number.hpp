// Owns the two digits in which messages show how far something is off.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace kinloop {

/// "3.4e-05".
inline std::string with_two_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1e", value);
  return text.data();
}

}  // namespace kinloop
