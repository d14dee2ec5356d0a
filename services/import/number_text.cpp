// Implements the reading of numbers by std::from_chars, which knows no locale.
#include "services/import/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace kinloop {

std::optional<double> to_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::vector<double>> to_numbers(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<double> values;
  for (std::size_t start = text.find_first_not_of(kBlanks); start != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, start), text.size());
    const std::optional<double> value = to_number(text.substr(start, end - start));
    if (!value) return std::nullopt;
    values.push_back(*value);
    start = text.find_first_not_of(kBlanks, end);
  }
  return values;
}

}  // namespace kinloop
