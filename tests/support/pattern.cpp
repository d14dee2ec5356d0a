#include "tests/support/pattern.hpp"

#include <regex.h>

#include <array>
#include <cstddef>
#include <stdexcept>

namespace kinloop::test {

std::string replaced(const std::string& text, const std::string& pattern, const std::string& by) {
  regex_t compiled;
  if (regcomp(&compiled, pattern.c_str(), REG_EXTENDED | REG_NEWLINE) != 0) throw std::invalid_argument(pattern);
  std::string result;
  std::size_t at = 0;
  std::array<regmatch_t, 2> found{};
  while (at < text.size() && regexec(&compiled, text.c_str() + at, found.size(), found.data(), 0) == 0) {
    const auto [begin, end] = found[0];
    const std::string group = found[1].rm_so < 0
                                  ? ""
                                  : text.substr(at + static_cast<std::size_t>(found[1].rm_so),
                                                static_cast<std::size_t>(found[1].rm_eo - found[1].rm_so));
    std::string with = by;
    if (const std::size_t mark = with.find("$1"); mark != std::string::npos) with.replace(mark, 2, group);
    result += text.substr(at, static_cast<std::size_t>(begin)) + with;
    at += static_cast<std::size_t>(end);
    if (begin == end) break;  // an empty match: patterns here have none
  }
  regfree(&compiled);
  return result + text.substr(at);
}

}  // namespace kinloop::test
