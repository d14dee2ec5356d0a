// Owns the characters of the expression language: blanks, digits, names, numbers.
#include "services/files/expression_text.hpp"

namespace kinloop {

std::string_view identifier_at(std::string_view text, std::size_t at) noexcept {
  if (!is_letter(character_at(text, at))) return {};
  std::size_t end = at + 1;
  while (is_letter(character_at(text, end)) || is_digit(character_at(text, end))) ++end;
  return text.substr(at, end - at);
}

std::string_view number_at(std::string_view text, std::size_t at) noexcept {
  const auto skip_digits = [text](std::size_t i) {
    while (is_digit(character_at(text, i))) ++i;
    return i;
  };
  std::size_t end = skip_digits(at);
  bool has_digit = end > at;
  if (character_at(text, end) == '.') {
    const std::size_t fraction_end = skip_digits(end + 1);
    has_digit = has_digit || fraction_end > end + 1;
    end = fraction_end;
  }
  if (!has_digit) return {};
  if (character_at(text, end) == 'e' || character_at(text, end) == 'E') {
    const char sign = character_at(text, end + 1);
    const std::size_t digits = end + (sign == '+' || sign == '-' ? 2 : 1);
    // Without digits the 'e' begins a name.
    if (is_digit(character_at(text, digits))) end = skip_digits(digits);
  }
  return text.substr(at, end - at);
}

}  // namespace kinloop
