// Owns arithmetic on quantities: the numbers and the rules for their dimensions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "services/files/quantity.hpp"

// Each operation gives the result or what is wrong with it. Results are always finite.
//
// The rules, for known (K), pure (P) and unknown (U) operands:
//   sum, min, max     K with K of the same dimension, or with P or U, is K; P with U is U; K with another K is wrong
//   product, quotient U with anything is U; K with P is K; P with P is P
//   power             the exponent has no dimension; K needs a whole exponent or, with 1/2, a square
//   functions         take no dimension; sin, cos, tan give P, the inverse functions an angle
namespace kinloop {

using QuantityResult = Result<Quantity, std::string>;

QuantityResult add(const Quantity& a, const Quantity& b);
QuantityResult subtract(const Quantity& a, const Quantity& b);
QuantityResult multiply(const Quantity& a, const Quantity& b);
QuantityResult divide(const Quantity& a, const Quantity& b);
QuantityResult raise(const Quantity& base, const Quantity& exponent);
Quantity negate(const Quantity& a);

/// Names of the functions an expression may call.
std::span<const std::string_view> function_names() noexcept;
bool is_function(std::string_view name) noexcept;

/// Calls a function. Precondition: is_function(name).
QuantityResult call_function(std::string_view name, std::span<const Quantity> arguments);

}  // namespace kinloop
