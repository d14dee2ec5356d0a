// Owns Quantity: a number in SI units and how much is known about its dimension.
#pragma once

#include <optional>
#include <string>

#include "services/files/dimension.hpp"

namespace kinloop {

/// The value of an expression, in SI units.
struct Quantity {
  /// How the dimension came about; it decides what the quantity may be combined with.
  enum class Knowledge {
    kPure,     ///< a bare literal: a factor in products, anything in sums and fields
    kUnknown,  ///< a parameter without a unit: nothing can be checked where it is a factor
    kKnown     ///< written with a unit, or computed from such
  };

  double value = 0.0;
  Knowledge knowledge = Knowledge::kPure;
  Dimension dimension = Dimension::none();  ///< meaningful if known
  std::string written_unit;                 ///< as the user wrote it, if this is a literal with a unit

  bool fits(const Dimension& expected) const noexcept {
    return knowledge != Knowledge::kKnown || expected.accepts(dimension);
  }
};

/// The whole number that the value is but for rounding (0.3 / 0.1 is 3); nothing if it is none.
std::optional<long long> whole_number(double value) noexcept;

/// The value for messages, with the six digits that people care for.
std::string shown(double value);

/// "expected a length, got 'kg'". Precondition: the quantity does not fit.
std::string mismatch_text(const Dimension& expected, const Quantity& got);

}  // namespace kinloop
