// Owns names that are numbered by expressions: "bar<i + 1>" is bar3 where i is 2.
#include "services/files/numbered_name.hpp"

#include <cstddef>
#include <optional>

namespace kinloop {
namespace {

Result<long long, ExpressionError> evaluate_whole(std::string_view text, const ParameterScope& scope) {
  const Result<Quantity, ExpressionError> quantity = evaluate_expression(text, scope);
  if (!quantity) return quantity.error();
  if (!quantity->fits(Dimension::none())) return ExpressionError{0, mismatch_text(Dimension::none(), *quantity)};
  const std::optional<long long> whole = whole_number(quantity->value);
  if (!whole) return ExpressionError{0, "expected a whole number, got " + shown(quantity->value)};
  return *whole;
}

}  // namespace

Result<std::string, ExpressionError> numbered_name(std::string_view text, const ParameterScope& scope) {
  constexpr std::string_view kBrackets = "<>";
  std::string name;
  std::size_t at = 0;
  while (true) {
    const std::size_t open = text.find_first_of(kBrackets, at);
    name += text.substr(at, open - at);  // to the end where there is none
    if (open == std::string_view::npos) return name;
    if (text[open] == '>') return ExpressionError{open, "'>' without '<'"};
    const std::size_t close = text.find_first_of(kBrackets, open + 1);
    if (close == std::string_view::npos || text[close] == '<') return ExpressionError{open, "'<' without '>'"};
    const std::size_t start = open + 1;
    const Result<long long, ExpressionError> number = evaluate_whole(text.substr(start, close - start), scope);
    if (!number) {
      const ExpressionError& error = number.error();
      return ExpressionError{start + error.offset, error.what, error.is_consequence};
    }
    name += std::to_string(*number);
    at = close + 1;
  }
}

}  // namespace kinloop
