// Owns the reading of Markdown for the rules that are checked on it: headings, links, code spans.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace kinloop::architecture {

/// Headings of a page as their text stands, without marks of code and links.
std::vector<std::string> headings(const std::string& markdown);

/// What a link to a heading ends with: lower case, spaces as hyphens, other signs left out.
std::string anchor_of(const std::string& heading);

/// Anchors of all headings.
std::set<std::string> anchors(const std::string& markdown);

/// Targets of links and pictures, code blocks left out.
std::vector<std::string> link_targets(const std::string& markdown);

/// Texts between single backticks, code blocks left out.
std::vector<std::string> code_spans(const std::string& markdown);

}  // namespace kinloop::architecture
