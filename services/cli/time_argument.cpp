// The numbers of the command line are those of model files: with units if wanted.
#include "services/cli/time_argument.hpp"

#include "services/files/expression.hpp"

namespace kinloop::cli {

Result<double> read_time(const std::string& option, const std::string& text) {
  const Result<Quantity, ExpressionError> quantity = evaluate_expression(text, ParameterScope{});
  if (!quantity) return Error{option, "'" + text + "' is no time: " + quantity.error().what};
  if (!quantity->fits(Dimension::time())) return Error{option, mismatch_text(Dimension::time(), *quantity)};
  if (!(quantity->value > 0.0)) return Error{option, "must be more than 0 s, not '" + text + "'"};
  return quantity->value;
}

}  // namespace kinloop::cli
