// Owns UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kinloop {

struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t length = 0;  // in bytes; 0: the bytes are not UTF-8
};

/// The one in front. Precondition: there is a byte.
Utf8Character first_character(std::string_view text) noexcept;

/// Whether the byte belongs to a character that began before it.
constexpr bool continues_character(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::size_t character_count(std::string_view text) noexcept;
/// The first `count` of them, or all.
std::string_view first_characters(std::string_view text, std::size_t count) noexcept;
/// Whole characters from the front, in no more than so many bytes.
std::string_view beginning_of(std::string_view text, std::size_t max_bytes) noexcept;

}  // namespace kinloop
