// Shows what is text, and spells out the rest.
#include "services/log/visible_text.hpp"

#include "services/base/utf8.hpp"

namespace kinloop::log {
namespace {

/// Bytes of the character in front, 0 if they are no UTF-8 or a terminal would obey them.
std::size_t visible_length(std::string_view bytes) noexcept {
  const auto [code, length] = first_character(bytes);
  const bool is_control = code < 0x20U || (code >= 0x7FU && code < 0xA0U) || code == 0x2028U || code == 0x2029U;
  return is_control ? 0 : length;
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
  const std::size_t room = most > kMissing.size() ? most - kMissing.size() : 0;
  return std::string(beginning_of(text, room)) + std::string(kMissing);
}

}  // namespace kinloop::log
