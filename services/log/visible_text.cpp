// UTF-8 after RFC 3629.
#include "services/log/visible_text.hpp"

#include <array>
#include <cstdint>

namespace kinloop::log {
namespace {

/// Bytes of the character in front, 0 if they are no UTF-8 or a terminal would obey them.
std::size_t visible_length(std::string_view bytes) noexcept {
  const auto byte = [bytes](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80U) return lead >= 0x20U && lead != 0x7FU ? 1 : 0;
  const std::size_t length = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U || bytes.size() < length) return 0;
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kSmallest{0, 0, 0x80U, 0x800U, 0x10000U};
  const bool is_wrong = code < kSmallest[length] || code > 0x10FFFFU || (code >= 0xD800U && code <= 0xDFFFU);
  const bool is_control = code < 0xA0U || code == 0x2028U || code == 0x2029U;
  return is_wrong || is_control ? 0 : length;
}

}  // namespace

std::string visible_text(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = visible_length(text);
    if (length > 0) {
      shown += text.substr(0, length);
    } else {
      const auto byte = static_cast<unsigned char>(text.front());
      shown += {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
    text.remove_prefix(length > 0 ? length : 1);
  }
  return shown;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  constexpr std::string_view kMissing = "...";
  std::size_t end = most > kMissing.size() ? most - kMissing.size() : 0;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + std::string(kMissing);
}

}  // namespace kinloop::log
