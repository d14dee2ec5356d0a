// Owns Quantity: a number in SI units and how much is known about its dimension.
#include "services/files/quantity.hpp"

#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/nearest_name.hpp"

namespace kinloop {

std::optional<long long> whole_number(double value) noexcept {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53: above it a double skips whole numbers
  constexpr double kRounding = 1e-9;                    // of quotients of numbers that people count to
  const double whole = std::round(value);
  const bool is_whole = std::abs(whole) <= kLargestExact && std::abs(value - whole) <= kRounding;
  return is_whole ? std::optional(static_cast<long long>(whole)) : std::nullopt;
}

std::string shown(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

std::string mismatch_text(const Dimension& expected, const Quantity& got) {
  std::string text = "expected " + expected.description() + ", got ";
  if (!got.written_unit.empty()) return text + in_quotes(got.written_unit);
  if (got.dimension.is_none()) return text + "an angle or a ratio";
  return text + in_quotes(got.dimension.si_unit());
}

}  // namespace kinloop
