// Owns YamlNode: the tree of a parsed file with the place of every node.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "services/base/source_position.hpp"

namespace kinloop {

struct YamlEntry;

/// One value of a YAML file: nothing, a scalar, a sequence or a mapping.
struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMapping };

  Kind kind = Kind::kNull;
  bool quoted = false;  ///< scalar written in quotes or as a block, so "true" and "1" are meant as text
  /// The text stands in the file exactly as here, on one line, so an offset into it is an offset into the line.
  bool verbatim = false;
  SourcePosition position;         ///< where the node starts, an opening quote or bracket included
  std::string text;                ///< scalars only
  std::vector<YamlNode> items;     ///< sequences only
  std::vector<YamlEntry> entries;  ///< mappings only, in file order, keys unique

  bool is_null() const noexcept { return kind == Kind::kNull; }
  bool is_scalar() const noexcept { return kind == Kind::kScalar; }
  bool is_sequence() const noexcept { return kind == Kind::kSequence; }
  bool is_mapping() const noexcept { return kind == Kind::kMapping; }

  /// The entry of a mapping with that key, or null.
  const YamlEntry* find(std::string_view key) const noexcept;

  /// Where the byte `offset` of the text stands in the file; the node's own position if that is not known.
  SourcePosition position_in_text(std::size_t offset) const noexcept;
};

/// One `key: value` of a mapping.
struct YamlEntry {
  std::string key;
  SourcePosition key_position;
  YamlNode value;
};

/// What a node is, for messages: "a list", "a mapping", "a single value", "nothing".
std::string_view kind_name(const YamlNode& node) noexcept;

}  // namespace kinloop
