// Owns the language of numbers in files: arithmetic over numbers, units and named parameters.
#include "services/files/expression.hpp"

#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "services/files/expression_text.hpp"
#include "services/files/quantity_arithmetic.hpp"
#include "services/files/unit_reader.hpp"

namespace kinloop {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxLength = 4096;
constexpr std::string_view kPiName = "pi";

// Reads one expression once, by recursive descent. Without a scope every name stands for some number and arithmetic
// cannot fail: then only the names are of interest.
class Parser {
 public:
  using Value = std::optional<Quantity>;

  Parser(std::string_view text, const ParameterScope* scope) : text_(text), scope_(scope) {}

  // The value, or nothing and then error() says why.
  Value parse_all();
  const ExpressionError& error() const noexcept { return error_; }
  const std::vector<NameUse>& names() const noexcept { return names_; }

 private:
  Value parse_sum();
  Value parse_product();
  Value parse_signed();
  Value parse_power();
  Value parse_primary();
  Value parse_number();
  Value parse_name();
  Value parse_call(std::string_view name, std::size_t start);

  Value fail(std::size_t offset, std::string what) {
    error_ = {offset, std::move(what), false};
    return std::nullopt;
  }
  Value checked(const QuantityResult& result, std::size_t offset) {
    if (scope_ == nullptr) return Quantity{};
    if (!result) return fail(offset, result.error());
    return *result;
  }
  std::string rest() const { return at_ < text_.size() ? "before " + in_quotes(text_.substr(at_)) : "at the end"; }

  char peek() const noexcept { return character_at(text_, at_); }
  void advance(std::size_t count) noexcept { at_ = skip_blanks(text_, at_ + count); }
  bool take(char c) noexcept {
    if (peek() != c) return false;
    advance(1);
    return true;
  }

  std::string_view text_;
  const ParameterScope* scope_;
  std::size_t at_ = 0;
  int depth_ = 0;
  ExpressionError error_;
  std::vector<NameUse> names_;
};

Parser::Value Parser::parse_all() {
  if (text_.size() > kMaxLength) {
    return fail(0, "an expression may not be longer than " + std::to_string(kMaxLength) + " bytes");
  }
  advance(0);
  if (at_ == text_.size()) return fail(0, "expected a number, got an empty text");
  Value value = parse_sum();
  if (!value || at_ == text_.size()) return value;
  return fail(at_, peek() == ')' ? "')' without '('" : "expected an operator " + rest());
}

Parser::Value Parser::parse_sum() {
  Value left = parse_product();
  while (left && (peek() == '+' || peek() == '-')) {
    const std::size_t offset = at_;
    const char op = peek();
    advance(1);
    const Value right = parse_product();
    if (!right) return std::nullopt;
    left = checked(op == '+' ? add(*left, *right) : subtract(*left, *right), offset);
  }
  return left;
}

Parser::Value Parser::parse_product() {
  Value left = parse_signed();
  while (left && (peek() == '*' || peek() == '/')) {
    const std::size_t offset = at_;
    const char op = peek();
    advance(1);
    const Value right = parse_signed();
    if (!right) return std::nullopt;
    left = checked(op == '*' ? multiply(*left, *right) : divide(*left, *right), offset);
  }
  return left;
}

// Every recursion of the grammar passes here, so here it is bounded.
Parser::Value Parser::parse_signed() {
  if (depth_ >= kMaxDepth) return fail(at_, "nested deeper than " + std::to_string(kMaxDepth) + " levels");
  bool is_negative = false;
  while (peek() == '+' || peek() == '-') {
    if (peek() == '-') is_negative = !is_negative;
    advance(1);
  }
  ++depth_;
  Value value = parse_power();
  --depth_;
  if (value && is_negative) value = negate(*value);
  return value;
}

Parser::Value Parser::parse_power() {
  Value base = parse_primary();
  const std::size_t offset = at_;
  if (!base || !take('^')) return base;
  const Value exponent = parse_signed();
  if (!exponent) return std::nullopt;
  return checked(raise(*base, *exponent), offset);
}

Parser::Value Parser::parse_primary() {
  const std::size_t start = at_;
  if (take('(')) {
    Value value = parse_sum();
    if (!value) return value;
    if (!take(')')) return fail(start, "'(' without ')'");
    value->written_unit.clear();
    return value;
  }
  if (is_letter(peek())) return parse_name();
  if (is_digit(peek()) || peek() == '.') return parse_number();
  return fail(at_, "expected a number or a name " + rest());
}

Parser::Value Parser::parse_number() {
  const std::size_t start = at_;
  const std::string_view written = number_at(text_, start);
  if (written.empty()) return fail(start, "expected a number " + rest());
  Quantity number;
  const auto parsed = std::from_chars(written.data(), written.data() + written.size(), number.value);
  if (parsed.ec != std::errc{}) return fail(start, "the number " + in_quotes(written) + " is out of range");
  advance(written.size());
  if (!is_letter(peek())) return number;

  const Result<UnitMatch, UnitError> match = read_unit(text_, at_);
  if (!match) {
    const UnitError& error = match.error();
    const std::string_view name = identifier_at(text_, error.offset);
    if (scope_ == nullptr || !scope_->contains(name)) return fail(error.offset, error.what);
    return fail(error.offset, "unknown unit " + in_quotes(name) + "; write '*' to multiply by the parameter");
  }
  number.value *= match->unit.si_factor;
  if (!std::isfinite(number.value)) return fail(start, "the number is out of range");
  number.knowledge = Quantity::Knowledge::kKnown;
  number.dimension = match->unit.dimension;
  number.written_unit = text_.substr(at_, match->end - at_);
  advance(match->end - at_);
  return number;
}

Parser::Value Parser::parse_name() {
  const std::size_t start = at_;
  const std::string_view name = identifier_at(text_, start);
  advance(name.size());
  if (peek() == '(') return parse_call(name, start);
  if (name == kPiName) return Quantity{std::numbers::pi, Quantity::Knowledge::kPure, Dimension::none(), {}};
  if (is_function(name)) return fail(start, in_quotes(name) + " is a function; it needs '('");

  names_.push_back({name, start});
  if (scope_ == nullptr) return Quantity{};
  if (!scope_->contains(name)) {
    std::string hint = did_you_mean(name, scope_->names());
    if (hint.empty() && find_unit(name)) hint = "; a unit stands behind a number and has no blanks around '*' and '/'";
    return fail(start, "unknown parameter " + in_quotes(name) + hint);
  }
  const std::optional<Quantity>& value = scope_->value(name);
  if (!value) {
    error_ = {start, "the parameter " + in_quotes(name) + " has no valid value", true};
    return std::nullopt;
  }
  Quantity quantity = *value;
  quantity.written_unit.clear();
  // An index is a count and stays a pure number; a parameter without a unit may be meant as anything.
  const bool is_pure = quantity.knowledge == Quantity::Knowledge::kPure;
  if (is_pure && !scope_->is_index(name)) quantity.knowledge = Quantity::Knowledge::kUnknown;
  return quantity;
}

Parser::Value Parser::parse_call(std::string_view name, std::size_t start) {
  if (!is_function(name)) {
    return fail(start, "unknown function " + in_quotes(name) + did_you_mean(name, function_names()));
  }
  const std::size_t parenthesis = at_;
  advance(1);
  std::vector<Quantity> arguments;
  if (!take(')')) {
    do {
      Value argument = parse_sum();
      if (!argument) return argument;
      arguments.push_back(std::move(*argument));
    } while (take(','));
    if (!take(')')) return fail(parenthesis, "'(' without ')'");
  }
  return checked(call_function(name, arguments), start);
}

}  // namespace

Result<Quantity, ExpressionError> evaluate_expression(std::string_view text, const ParameterScope& scope) {
  Parser parser(text, &scope);
  std::optional<Quantity> value = parser.parse_all();
  if (!value) return parser.error();
  return std::move(*value);
}

std::vector<NameUse> parameters_used(std::string_view text) {
  Parser parser(text, nullptr);
  (void)parser.parse_all();
  return parser.names();
}

bool is_identifier(std::string_view text) noexcept { return !text.empty() && identifier_at(text, 0) == text; }

std::string problem_with_name(std::string_view name) {
  if (!is_identifier(name)) return in_quotes(name) + " is not a name: a letter or '_', then letters, digits and '_'";
  if (name == kPiName || is_function(name)) return in_quotes(name) + " is the name of a constant or function";
  return {};
}

}  // namespace kinloop
