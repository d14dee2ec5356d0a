// Owns the growth of a YamlNode tree from parse events, within bounds and without recursion.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "services/base/diagnostics.hpp"
#include "services/files/yaml_node.hpp"

namespace kinloop {

/// Takes nodes in file order and puts them together; reports duplicate and unusable keys and broken bounds.
class YamlTreeBuilder {
 public:
  enum class Progress { kGoOn, kStop };

  explicit YamlTreeBuilder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Adds a finished node: a scalar or null. A node without a position takes that of its key or its parent.
  Progress add_leaf(YamlNode node);
  /// Opens a sequence or mapping; the nodes that follow belong to it until close().
  Progress open(YamlNode node);
  Progress close();

  /// The place of the innermost container not yet closed.
  std::optional<SourcePosition> open_position() const;

  bool has_root() const noexcept { return has_root_; }
  YamlNode take_root() { return std::move(root_); }

 private:
  struct OpenContainer {
    YamlNode node;
    std::optional<YamlEntry> entry;  // a key read whose value is still to come
  };

  bool expects_key() const noexcept;
  Progress take_key(YamlNode node);
  Progress count_node(SourcePosition position);
  void place(YamlNode node);
  void report_duplicate_keys(const YamlNode& mapping);
  SourcePosition place_of_next() const;

  Diagnostics& diagnostics_;
  std::vector<OpenContainer> open_;
  YamlNode root_;
  bool has_root_ = false;
  std::size_t node_count_ = 0;
};

}  // namespace kinloop
