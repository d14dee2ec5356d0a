// Owns SourceMap: finds the place of a field path in the file.
#include "services/files/source_map.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

namespace kinloop {
namespace {

// Takes the first step off a path: "[2]" gives "2" of kind index, ".mass" or "mass" gives "mass" of kind key.
struct Step {
  bool is_index = false;
  std::string_view text;
};

Step take_step(std::string_view& path) {
  if (path.front() == '[') {
    const std::size_t end = std::min(path.find(']'), path.size());
    const Step step{true, path.substr(1, end - 1)};
    path.remove_prefix(std::min(end + 1, path.size()));
    return step;
  }
  if (path.front() == '.') path.remove_prefix(1);
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  const Step step{false, path.substr(0, end)};
  path.remove_prefix(end);
  return step;
}

const YamlNode* step_into(const YamlNode& node, const Step& step) {
  if (!step.is_index) {
    const YamlEntry* entry = node.find(step.text);
    return entry == nullptr ? nullptr : &entry->value;
  }
  std::size_t index = 0;
  const auto parsed = std::from_chars(step.text.data(), step.text.data() + step.text.size(), index);
  return parsed.ec == std::errc{} && index < node.items.size() ? &node.items[index] : nullptr;
}

}  // namespace

void SourceMap::alias(std::string path, std::string file_path, std::string round) {
  aliases_.insert_or_assign(std::move(path), Place{std::move(file_path), std::move(round)});
}

SourceMap::Place SourceMap::find(std::string_view path) const {
  for (std::size_t length = path.size(); length > 0; --length) {
    const bool is_boundary = length == path.size() || path[length] == '.' || path[length] == '[';
    if (!is_boundary) continue;
    const auto found = aliases_.find(path.substr(0, length));
    if (found == aliases_.end()) continue;
    return {found->second.file_path + std::string(path.substr(length)), found->second.round};
  }
  return {std::string(path), {}};
}

SourcePosition SourceMap::position_in_file(std::string_view file_path) const {
  std::string_view rest = file_path;
  const YamlNode* node = root_;
  while (!rest.empty()) {
    const YamlNode* next = step_into(*node, take_step(rest));
    if (next == nullptr) break;
    node = next;
  }
  return node->position;
}

void SourceMap::report(const Error& error, Diagnostics& diagnostics) const {
  const Place place = find(error.where);
  diagnostics.add(position_in_file(place.file_path), place.file_path, error.what, place.round);
}

}  // namespace kinloop
