// Owns Dimension: what kind of physical quantity a number is.
#include "services/files/dimension.hpp"

#include <array>
#include <cstdlib>
#include <utility>

#include "core/base/require.hpp"

namespace kinloop {
namespace {

constexpr const char* kComputed = "a computed quantity";

}  // namespace

bool Dimension::is_bounded() const noexcept {
  return std::abs(length_) <= kMaxExponent && std::abs(mass_) <= kMaxExponent && std::abs(time_) <= kMaxExponent &&
         std::abs(current_) <= kMaxExponent;
}

bool Dimension::has_square_root() const noexcept {
  return length_ % 2 == 0 && mass_ % 2 == 0 && time_ % 2 == 0 && current_ % 2 == 0;
}

Dimension Dimension::times(const Dimension& other) const noexcept {
  return {length_ + other.length_, mass_ + other.mass_, time_ + other.time_, current_ + other.current_, kComputed};
}

Dimension Dimension::over(const Dimension& other) const noexcept {
  return {length_ - other.length_, mass_ - other.mass_, time_ - other.time_, current_ - other.current_, kComputed};
}

Dimension Dimension::to_the_power(int exponent) const noexcept {
  require(std::abs(exponent) <= kMaxExponent, "the exponent is bounded");
  return {length_ * exponent, mass_ * exponent, time_ * exponent, current_ * exponent, kComputed};
}

Dimension Dimension::square_root() const noexcept {
  require(has_square_root(), "every exponent is even");
  return {length_ / 2, mass_ / 2, time_ / 2, current_ / 2, kComputed};
}

std::string Dimension::description() const {
  return name_ == kComputed ? "a quantity in " + si_unit() : std::string(name_);
}

std::string Dimension::si_unit() const {
  const std::array<std::pair<const char*, int>, 4> powers{
      {{"kg", mass_}, {"m", length_}, {"s", time_}, {"A", current_}}};
  std::string above;
  std::string below;
  for (const auto& [symbol, exponent] : powers) {
    if (exponent == 0) continue;
    std::string& side = exponent > 0 ? above : below;
    if (exponent < 0) {
      side += "/";
    } else if (!side.empty()) {
      side += "*";
    }
    side += symbol;
    if (std::abs(exponent) > 1) side += "^" + std::to_string(std::abs(exponent));
  }
  return (above.empty() ? "1" : above) + below;
}

}  // namespace kinloop
