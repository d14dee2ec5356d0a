// Reads Markdown line by line; knows as much of it as the pages of this project use.
#include "tests/architecture/markdown.hpp"

#include <cctype>
#include <regex>
#include <sstream>

namespace kinloop::architecture {
namespace {

/// The lines outside of fenced code.
std::vector<std::string> prose(const std::string& markdown) {
  std::vector<std::string> lines;
  bool is_code = false;
  std::istringstream stream(markdown);
  for (std::string line; std::getline(stream, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line.compare(first, 3, "```") == 0) {
      is_code = !is_code;
    } else if (!is_code) {
      lines.push_back(line);
    }
  }
  return lines;
}

std::vector<std::string> matches_of(const std::string& markdown, const std::regex& pattern) {
  std::vector<std::string> found;
  for (const std::string& line : prose(markdown)) {
    for (std::sregex_iterator i(line.begin(), line.end(), pattern), end; i != end; ++i) found.push_back((*i)[1]);
  }
  return found;
}

}  // namespace

std::vector<std::string> headings(const std::string& markdown) {
  static const std::regex kHeading(R"(^#{1,6} +(.*?) *$)");
  static const std::regex kLink(R"(\[([^\]]*)\]\([^)]*\))");
  std::vector<std::string> found;
  for (const std::string& line : prose(markdown)) {
    std::smatch match;
    if (std::regex_match(line, match, kHeading)) found.push_back(std::regex_replace(match[1].str(), kLink, "$1"));
  }
  return found;
}

std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') {
      anchor += '-';
    } else if (std::isalnum(byte) != 0 || c == '-' || c == '_' || byte >= 0x80) {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

std::set<std::string> anchors(const std::string& markdown) {
  std::set<std::string> found;
  for (const std::string& heading : headings(markdown)) found.insert(anchor_of(heading));
  return found;
}

std::vector<std::string> link_targets(const std::string& markdown) {
  static const std::regex kTarget(R"(\]\(([^()\s]+)(?: +"[^"]*")?\))");
  return matches_of(markdown, kTarget);
}

std::vector<std::string> code_spans(const std::string& markdown) {
  static const std::regex kSpan("`([^`]+)`");
  return matches_of(markdown, kSpan);
}

}  // namespace kinloop::architecture
