#pragma once
/// Text by patterns: extended regular expressions of POSIX. Not std::regex: its templates, compiled without
/// optimisation, would take the place of those a library compiles its own patterns with when every test starts.
#include <string>

namespace kinloop::test {

/// Each match of the pattern in the text replaced; "$1" stands for what the pattern's first group matched. A dot
/// matches no end of a line.
std::string replaced(const std::string& text, const std::string& pattern, const std::string& by);

}  // namespace kinloop::test
