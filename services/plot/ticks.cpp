// Steps of 1, 2, 5; a common power of ten where labels would grow long.
#include "services/plot/ticks.hpp"

#include <array>
#include <charconv>

namespace kinloop::plot {
namespace {

constexpr double kAir = 0.06;
constexpr double kOneValue = 1e-9;   // a relative span below which data counts as constant: noise is no course
constexpr double kNothing = 1e-280;  // below, powers of ten run out
constexpr double kLongFrom = 1e4;
constexpr double kShortBelow = 1e-2;

/// floor(log10(value)) that does not slip at exact powers of ten.
int decade(double value) noexcept { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

double step_at_least(double least) noexcept {
  const double power = std::pow(10.0, decade(least));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1.0 - 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

std::string superscript(int number) {
  constexpr std::array<const char*, 10> kDigits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : std::to_string(number)) text += c == '-' ? "⁻" : kDigits[static_cast<std::size_t>(c - '0')];
  return text;
}

Range widened(Range data) {
  const double centre = 0.5 * (data.least + data.most);
  const double half = std::abs(centre) > kNothing ? 0.1 * std::abs(centre) : 1.0;
  return {centre - half, centre + half};
}

bool is_one_value(Range data) { return data.span() <= kOneValue * std::max(std::abs(data.least), std::abs(data.most)); }

}  // namespace

Range tight_range(Range data) {
  if (data.empty()) return {0.0, 1.0};
  return is_one_value(data) ? widened(data) : data;
}

Range axis_range(Range data) {
  const Range tight = tight_range(data);
  const double air = kAir * tight.span();
  return {tight.least - air, tight.most + air};
}

double round_down(double limit) noexcept {
  const double power = std::pow(10.0, decade(limit));
  for (const double factor : {5.0, 2.0}) {
    if (factor * power <= limit * (1.0 + 1e-9)) return factor * power;
  }
  return power;
}

std::string number_label(double value, int decimals) {
  std::array<char, 512> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value), std::chars_format::fixed, decimals);
  const std::string digits(buffer.data(), end.ptr);
  const bool is_zero = digits.find_first_not_of("0.") == std::string::npos;
  return value < 0.0 && !is_zero ? "−" + digits : digits;
}

std::string short_label(double value) {
  if (value == 0.0) return "0";
  const int digits = decade(std::abs(value));
  if (digits < -4 || digits > 5) {
    return number_label(value / std::pow(10.0, digits), 0) + "×10" + superscript(digits);
  }
  return number_label(value, std::max(0, -digits));
}

std::string time_label(double time_s, const std::vector<double>& times_s) {
  Range range;
  for (const double t : times_s) range.add(t);
  const double scale = range.empty() || range.span() <= 0.0 ? std::abs(time_s) : range.span();
  std::string text = number_label(time_s, scale > 0.0 ? std::clamp(2 - decade(scale), 0, 12) : 0);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

Ticks make_ticks(Range range, int at_most) {
  double step = step_at_least(range.span() / std::max(1, at_most - 1));
  const auto first = [&] { return std::ceil(range.least / step - 1e-6); };
  const auto last = [&] { return std::floor(range.most / step + 1e-6); };
  while (last() - first() < 1.0) step = round_down(0.6 * step);  // one number alone is no scale
  const double largest = std::max(std::abs(range.least), std::abs(range.most));
  int exponent = 0;
  if (largest >= kLongFrom || largest < kShortBelow) exponent = 3 * static_cast<int>(std::floor(decade(largest) / 3.0));
  const int decimals = std::max(0, exponent - decade(step));

  Ticks ticks;
  if (exponent != 0) ticks.scale = "×10" + superscript(exponent);
  const int count = static_cast<int>(last() - first()) + 1;
  for (int i = 0; i < count; ++i) {
    const double value = (first() + i) * step;
    ticks.values.push_back(value);
    ticks.labels.push_back(number_label(value / std::pow(10.0, exponent), decimals));
  }
  return ticks;
}

}  // namespace kinloop::plot
