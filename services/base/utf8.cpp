// Decodes UTF-8 character by character; counts characters and cuts texts between them.
#include "services/base/utf8.hpp"

#include <algorithm>
#include <array>

namespace kinloop {

Utf8Character first_character(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80U) return {lead, 1};
  const std::size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U || text.size() < length) return {};
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues_character(text[i])) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest{0, 0, 0x80U, 0x800U, 0x10000U};
  if (code < kSmallest[length] || code > 0x10FFFFU || (code >= 0xD800U && code <= 0xDFFFU)) return {};
  return {code, length};
}

std::size_t character_count(std::string_view text) noexcept {
  const auto begins = [](char byte) { return !continues_character(byte); };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins));
}

std::string_view first_characters(std::string_view text, std::size_t count) noexcept {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!continues_character(text[i]) && characters++ == count) return text.substr(0, i);
  }
  return text;
}

std::string_view beginning_of(std::string_view text, std::size_t max_bytes) noexcept {
  std::size_t end = std::min(text.size(), max_bytes);
  while (end > 0 && end < text.size() && continues_character(text[end])) --end;
  return text.substr(0, end);
}

}  // namespace kinloop
