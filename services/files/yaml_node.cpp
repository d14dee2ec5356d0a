// Owns YamlNode: the tree of a parsed file with the place of every node.
#include "services/files/yaml_node.hpp"

#include <algorithm>

#include "services/base/utf8.hpp"

namespace kinloop {

const YamlEntry* YamlNode::find(std::string_view key) const noexcept {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [key](const YamlEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

SourcePosition YamlNode::position_in_text(std::size_t offset) const noexcept {
  if (!verbatim) return position;
  SourcePosition place = position;
  if (quoted) ++place.column;
  place.column += static_cast<int>(character_count(std::string_view(text).substr(0, offset)));
  return place;
}

std::string_view kind_name(const YamlNode& node) noexcept {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return "a single value";
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMapping:
      return "a mapping";
  }
  return "something else";
}

}  // namespace kinloop
