// Owns the reading of a unit behind a number: "mm", "rad/s", "N m", "kg*m^2".
#include "services/files/unit_reader.hpp"

#include <cmath>

#include "core/base/nearest_name.hpp"
#include "services/files/expression_text.hpp"

namespace kinloop {
namespace {

enum class Join { kNone, kTimes, kOver };

// How another unit symbol is joined at `at`, if one is; `at` moves to that symbol.
Join take_join(std::string_view text, std::size_t& at) {
  const char c = character_at(text, at);
  if (c == '*' || c == '/') {
    const std::string_view symbol = identifier_at(text, at + 1);
    // "3 mm*min(a, b)" calls the function min.
    const bool is_call = character_at(text, skip_blanks(text, at + 1 + symbol.size())) == '(';
    if (is_call || !find_unit(symbol)) return Join::kNone;
    ++at;
    return c == '*' ? Join::kTimes : Join::kOver;
  }
  const std::size_t next = skip_blanks(text, at);
  if (next == at || !is_letter(character_at(text, next))) return Join::kNone;
  at = next;
  return Join::kTimes;
}

// One symbol with its exponent.
Result<UnitMatch, UnitError> read_factor(std::string_view text, std::size_t start) {
  const std::string_view symbol = identifier_at(text, start);
  std::optional<Unit> unit = find_unit(symbol);
  if (!unit) {
    return UnitError{start, "unknown unit " + in_quotes(symbol) + did_you_mean(symbol, unit_symbols())};
  }
  std::size_t at = start + symbol.size();
  const std::size_t caret = skip_blanks(text, at);
  if (character_at(text, caret) != '^') return UnitMatch{*unit, at};

  at = skip_blanks(text, caret + 1);
  const bool is_negative = character_at(text, at) == '-';
  if (is_negative) ++at;
  const char digit = character_at(text, at);
  if (!is_digit(digit) || is_digit(character_at(text, at + 1))) {
    return UnitError{caret, "the power of a unit is one digit; put the quantity in parentheses to raise it"};
  }
  const int exponent = is_negative ? '0' - digit : digit - '0';
  return UnitMatch{{std::pow(unit->si_factor, exponent), unit->dimension.to_the_power(exponent)}, at + 1};
}

}  // namespace

Result<UnitMatch, UnitError> read_unit(std::string_view text, std::size_t start) {
  Result<UnitMatch, UnitError> first = read_factor(text, start);
  if (!first) return first;
  UnitMatch match = *first;
  while (true) {
    std::size_t at = match.end;
    const Join join = take_join(text, at);
    if (join == Join::kNone) return match;
    const Result<UnitMatch, UnitError> next = read_factor(text, at);
    if (!next) return next.error();
    const Unit& factor = next->unit;
    Unit& unit = match.unit;
    unit.si_factor = join == Join::kOver ? unit.si_factor / factor.si_factor : unit.si_factor * factor.si_factor;
    unit.dimension =
        join == Join::kOver ? unit.dimension.over(factor.dimension) : unit.dimension.times(factor.dimension);
    if (!unit.dimension.is_bounded()) return UnitError{start, "the unit has too high a power"};
    match.end = next->end;
  }
}

}  // namespace kinloop
