// Implements the check: one pass over the characters, one over the markup.
#include "services/import/xml_screen.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "services/base/utf8.hpp"
#include "services/import/xml_element.hpp"

namespace kinloop {
namespace {

SourcePosition position_at(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const std::string_view line = before.substr(line_start);
  return {1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
          1 + static_cast<int>(character_count(line))};
}

/// Offset just behind the end of the tag that starts at `start`; a '>' inside quotes does not end it.
std::size_t end_of_tag(std::string_view text, std::size_t start) {
  char quote = 0;
  for (std::size_t i = start; i < text.size(); ++i) {
    if (quote != 0) {
      if (text[i] == quote) quote = 0;
    } else if (text[i] == '"' || text[i] == '\'') {
      quote = text[i];
    } else if (text[i] == '>') {
      return i + 1;
    }
  }
  return text.size();
}

std::size_t behind(std::string_view text, std::size_t start, std::string_view end) {
  const std::size_t found = text.find(end, start);
  return found == std::string_view::npos ? text.size() : found + end.size();
}

}  // namespace

bool screen_xml_text(std::string_view text, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = first_character(text.substr(i)).length;
    if (length == 0 || text[i] == '\0') {
      diagnostics.add(position_at(text, i), "", "the file is not text in UTF-8");
      return false;
    }
    i += length;
  }
  int depth = 0;
  for (std::size_t i = text.find('<'); i < text.size(); i = text.find('<', i)) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("<!--")) {
      i = behind(text, i + 4, "-->");
    } else if (rest.starts_with("<![CDATA[")) {
      i = behind(text, i, "]]>");
    } else if (rest.starts_with("<?")) {
      i = behind(text, i, "?>");
    } else if (rest.starts_with("<!")) {
      diagnostics.add(position_at(text, i), "", "document type declarations and entities are not accepted");
      return false;
    } else if (rest.starts_with("</")) {
      depth = std::max(0, depth - 1);
      i = end_of_tag(text, i);
    } else {
      const std::size_t start = i;
      i = end_of_tag(text, i);
      if (i - start >= 3 && text[i - 2] == '/') continue;
      if (++depth > kMaxXmlDepth) {
        diagnostics.add(position_at(text, start), "",
                        "elements are nested more than " + std::to_string(kMaxXmlDepth) + " deep");
        return false;
      }
    }
  }
  return true;
}

}  // namespace kinloop
