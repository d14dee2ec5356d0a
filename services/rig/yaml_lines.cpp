// Numbers and texts as YAML reads them back.
#include "services/rig/yaml_lines.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

namespace kinloop {
namespace {

/// The escape of what starts the text and may not stand in a YAML file as it is; how many bytes that is, 0 if it may.
std::size_t escape_at(std::string_view text, std::string& result) {
  using Escape = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Escape, 7> kEscapes{{{"\"", "\\\""},
                                            {"\\", "\\\\"},
                                            {"\n", "\\n"},
                                            {"\t", "\\t"},
                                            {"\xE2\x80\xA8", "\\u2028"},
                                            {"\xE2\x80\xA9", "\\u2029"},
                                            {"\xEF\xBB\xBF", "\\uFEFF"}}};
  for (const auto& [bytes, escape] : kEscapes) {
    if (!text.starts_with(bytes)) continue;
    result += escape;
    return bytes.size();
  }
  // Control characters: one byte, or the two that UTF-8 makes of U+0080 to U+009F.
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const bool is_long = text.size() > 1 && byte(0) == 0xC2U && byte(1) < 0xA0U;
  if (!is_long && byte(0) >= 0x20U && byte(0) != 0x7FU) return 0;
  std::array<char, 8> escape{};
  std::snprintf(escape.data(), escape.size(), "\\x%02X", static_cast<unsigned>(byte(is_long ? 1 : 0)));
  result += escape.data();
  return is_long ? 2 : 1;
}

}  // namespace

std::string number(double value, std::string_view unit) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  std::string text(digits.data(), end);
  if (!unit.empty()) text += " " + std::string(unit);
  return text;
}

std::string in_double_quotes(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    std::size_t taken = escape_at(text, result);
    if (taken == 0) result += text[taken++];
    text.remove_prefix(taken);
  }
  return result + "\"";
}

std::string names(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& name : list) text += (text.empty() ? "" : ", ") + in_double_quotes(name);
  return "[" + text + "]";
}

std::string_view yes_or_no(bool yes) { return yes ? "true" : "false"; }

}  // namespace kinloop
