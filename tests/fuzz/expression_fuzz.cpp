// Feeds any bytes to the evaluator of expressions; what it accepts must be finite.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/require.hpp"
#include "services/files/expression.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kinloop::ParameterScope scope = [] {
    kinloop::ParameterScope made;
    made.set("a", kinloop::Quantity{0.2, kinloop::Quantity::Knowledge::kKnown, kinloop::Dimension::length(), {}});
    made.set("b", kinloop::Quantity{3.0, kinloop::Quantity::Knowledge::kPure, kinloop::Dimension::none(), {}});
    return made;
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto result = kinloop::evaluate_expression(text, scope);
  if (result) kinloop::require(std::isfinite(result->value), "an accepted expression is finite");
  if (!result) kinloop::require(result.error().offset <= text.size(), "an error lies within the text");
  (void)kinloop::parameters_used(text);
  return 0;
}
