// Owns the characters of the expression language: blanks, digits, names, numbers.
#pragma once

#include <cstddef>
#include <string_view>

namespace kinloop {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n'; }

/// The character at that byte, '\0' behind the end.
constexpr char character_at(std::string_view text, std::size_t at) noexcept {
  return at < text.size() ? text[at] : '\0';
}

/// The first byte from `at` on that is not blank.
constexpr std::size_t skip_blanks(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

/// The name that starts at that byte: a letter or '_', then letters, digits and '_'; empty if none does.
std::string_view identifier_at(std::string_view text, std::size_t at) noexcept;

/// The number that starts at that byte: digits with an optional point and exponent; empty if none does.
std::string_view number_at(std::string_view text, std::size_t at) noexcept;

}  // namespace kinloop
