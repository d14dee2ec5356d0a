// Owns Quantity: a number in SI units and how much is known about its dimension.
#pragma once

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

/// "expected a length, got 'kg'". Precondition: the quantity does not fit.
std::string mismatch_text(const Dimension& expected, const Quantity& got);

}  // namespace kinloop
