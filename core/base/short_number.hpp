// Owns the few digits in which messages show numbers.
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

/// "2.1".
inline std::string with_four_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

}  // namespace kinloop
