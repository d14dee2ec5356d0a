// Owns the check of raw bytes before the YAML library sees them.
#include "services/files/yaml_screen.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "services/base/utf8.hpp"

namespace kinloop {
namespace {

bool is_refused(std::uint32_t code) {
  if (code < 0x20U) return code != '\t' && code != '\n';
  if (code >= 0x7FU && code < 0xA0U) return true;         // delete and the second set of control characters
  if (code == 0x2028U || code == 0x2029U) return true;    // line and paragraph separators
  return code == 0xFEFFU || (code & 0xFFFEU) == 0xFFFEU;  // byte order mark inside the text, non-characters
}

std::string code_name(const char* format, std::uint32_t code) {
  std::array<char, 16> name{};
  std::snprintf(name.data(), name.size(), format, static_cast<unsigned>(code));
  return name.data();
}

// Two shapes of text take the library time with the square of their length; no real file comes near these bounds.
// Brackets are counted wherever they stand, in text too, so their bound is far above that of the nesting.
class SlowShapes {
 public:
  // Looks at the next character; gives what is wrong with the text so far, or null.
  const char* see(std::uint32_t code) noexcept {
    if (code == '[' || code == '{') ++unclosed_brackets_;
    if (code == ']' || code == '}') --unclosed_brackets_;
    if (code == '\n') {
      ++blank_lines_;
    } else if (code != ' ' && code != '\t') {
      blank_lines_ = 0;
    }
    if (unclosed_brackets_ > kMaxUnclosedBrackets) return "more than 1000 brackets are open";
    if (blank_lines_ > kMaxBlankLines) return "more than 200 blank lines in a row";
    return nullptr;
  }

 private:
  static constexpr int kMaxUnclosedBrackets = 1000;
  static constexpr int kMaxBlankLines = 200;

  int unclosed_brackets_ = 0;
  int blank_lines_ = 0;
};

}  // namespace

std::string screen_yaml_text(const std::string& text, Diagnostics& diagnostics) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string_view rest = text;
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());

  std::string clean;
  clean.reserve(rest.size() + 1);
  SlowShapes slow_shapes;
  SourcePosition place{1, 1};
  while (!rest.empty()) {
    Utf8Character character = first_character(rest);
    if (character.length == 0) {
      diagnostics.add(place, "",
                      "the byte " + code_name("0x%02X", static_cast<unsigned char>(rest[0])) + " is not UTF-8 text");
      return {};  // what follows may be in any encoding, so further messages would be noise
    }
    if (rest[0] == '\r') {
      character = {'\n', rest.starts_with("\r\n") ? std::size_t{2} : std::size_t{1}};
      clean += '\n';
    } else {
      clean += rest.substr(0, character.length);
    }
    if (const char* slow = slow_shapes.see(character.code)) {
      diagnostics.add(place, "", slow);
      return {};
    }
    if (is_refused(character.code)) {
      diagnostics.add(place, "", "the character " + code_name("U+%04X", character.code) + " is not allowed");
    } else if (character.code == '%' && place.column == 1) {
      diagnostics.add(place, "", "a line may not start with '%'; directives are not supported");
    }
    rest.remove_prefix(character.length);
    place = character.code == '\n' ? SourcePosition{place.line + 1, 1} : SourcePosition{place.line, place.column + 1};
  }
  if (!clean.empty() && clean.back() != '\n') clean += '\n';
  return clean;
}

}  // namespace kinloop
