// Owns the growth of a YamlNode tree from parse events, within bounds and without recursion.
#include "services/files/yaml_tree_builder.hpp"

#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/nearest_name.hpp"
#include "services/files/yaml_document.hpp"

namespace kinloop {

bool YamlTreeBuilder::expects_key() const noexcept {
  return !open_.empty() && open_.back().node.is_mapping() && !open_.back().entry;
}

SourcePosition YamlTreeBuilder::place_of_next() const {
  if (open_.empty()) return {1, 1};
  const OpenContainer& parent = open_.back();
  return parent.entry ? parent.entry->key_position : parent.node.position;
}

YamlTreeBuilder::Progress YamlTreeBuilder::count_node(SourcePosition position) {
  if (++node_count_ <= kMaxYamlNodes) return Progress::kGoOn;
  diagnostics_.add(position, "", "the file holds more than " + std::to_string(kMaxYamlNodes) + " values");
  return Progress::kStop;
}

YamlTreeBuilder::Progress YamlTreeBuilder::add_leaf(YamlNode node) {
  if (node.position.line == 0) node.position = place_of_next();
  if (count_node(node.position) == Progress::kStop) return Progress::kStop;
  if (expects_key()) return take_key(std::move(node));
  place(std::move(node));
  return Progress::kGoOn;
}

YamlTreeBuilder::Progress YamlTreeBuilder::take_key(YamlNode node) {
  if (node.text.empty()) {
    diagnostics_.add(node.position, "", "a key is missing before ':'");
    return Progress::kStop;
  }
  if (node.text == "<<" && !node.quoted) {
    diagnostics_.add(node.position, "", "merge keys are not supported; use parameters");
    return Progress::kStop;
  }
  open_.back().entry = YamlEntry{std::move(node.text), node.position, {}};
  return Progress::kGoOn;
}

YamlTreeBuilder::Progress YamlTreeBuilder::open(YamlNode node) {
  if (node.position.line == 0) node.position = place_of_next();
  if (expects_key()) {
    diagnostics_.add(node.position, "", "a key must be a single word, not " + std::string(kind_name(node)));
    return Progress::kStop;
  }
  if (open_.size() >= kMaxYamlDepth) {
    diagnostics_.add(node.position, "", "nested deeper than " + std::to_string(kMaxYamlDepth) + " levels");
    return Progress::kStop;
  }
  const Progress progress = count_node(node.position);
  open_.push_back({std::move(node), std::nullopt});
  return progress;
}

YamlTreeBuilder::Progress YamlTreeBuilder::close() {
  require(!open_.empty(), "a container is open");
  YamlNode node = std::move(open_.back().node);
  open_.pop_back();
  if (node.is_mapping()) report_duplicate_keys(node);
  place(std::move(node));
  return Progress::kGoOn;
}

void YamlTreeBuilder::place(YamlNode node) {
  if (open_.empty()) {
    root_ = std::move(node);
    has_root_ = true;
    return;
  }
  OpenContainer& parent = open_.back();
  if (parent.node.is_sequence()) {
    parent.node.items.push_back(std::move(node));
    return;
  }
  parent.entry->value = std::move(node);
  parent.node.entries.push_back(std::move(*parent.entry));
  parent.entry.reset();
}

void YamlTreeBuilder::report_duplicate_keys(const YamlNode& mapping) {
  std::unordered_map<std::string_view, int> first_line;
  for (const YamlEntry& entry : mapping.entries) {
    const auto [first, is_new] = first_line.try_emplace(entry.key, entry.key_position.line);
    if (is_new) continue;
    diagnostics_.add(entry.key_position, "",
                     "duplicate key " + in_quotes(entry.key) + ", first on line " + std::to_string(first->second));
  }
}

std::optional<SourcePosition> YamlTreeBuilder::open_position() const {
  if (open_.empty()) return std::nullopt;
  return open_.back().node.position;
}

}  // namespace kinloop
