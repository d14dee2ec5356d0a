// Owns the writing out of repeats: an entry {repeat: 5, index: i, items: [...]} stands for its items, five times.
#include "services/files/repeats.hpp"

#include <algorithm>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "services/files/expression.hpp"

namespace kinloop {
namespace {

constexpr std::string_view kRepeat = "repeat";

bool is_repeat(const YamlNode& entry) noexcept { return entry.find(kRepeat) != nullptr; }

/// About what the node takes in a file. The depth of a file is bounded, so the recursion is.
std::size_t written_bytes(const YamlNode& node) {
  constexpr std::size_t kPunctuation = 2;
  std::size_t bytes = node.text.size() + kPunctuation;
  for (const YamlNode& item : node.items) bytes += written_bytes(item);
  for (const YamlEntry& entry : node.entries) bytes += entry.key.size() + kPunctuation + written_bytes(entry.value);
  return bytes;
}

/// Why an index may not have this name; empty if it may.
std::string problem_with_index(const std::string& index, const ParameterScope& scope) {
  std::string problem = problem_with_name(index);
  if (!problem.empty()) return problem;
  if (scope.is_index(index)) return in_quotes(index) + " is already the index of a repeat around this one";
  if (scope.contains(index)) return in_quotes(index) + " is already the name of a parameter";
  return {};
}

}  // namespace

std::vector<ListEntry> Repeats::entries_of(const YamlNode& list, const std::string& path) {
  std::vector<ListEntry> entries;
  entries.reserve(list.items.size());
  add_items(list, path, *scope_, entries);
  return entries;
}

void Repeats::add_items(const YamlNode& list, const std::string& path, const ParameterScope& scope,
                        std::vector<ListEntry>& entries) {
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const YamlNode& item = list.items[i];
    if (is_repeat(item)) {
      add_rounds(item, item_path(path, i), scope, entries);
    } else {
      entries.push_back({&item, item_path(path, i), &scope});
    }
  }
}

void Repeats::add_rounds(const YamlNode& node, const std::string& path, const ParameterScope& scope,
                         std::vector<ListEntry>& entries) {
  const std::size_t errors_before = diagnostics_->count();
  Fields repeat(node, path, *diagnostics_, scope);
  const auto rounds = static_cast<std::size_t>(repeat.integer(kRepeat, 0, kMaxRepeatedEntries));
  const std::string index = repeat.text("index");
  const YamlNode* items = repeat.sequence("items");
  if (!index.empty()) {
    std::string problem = problem_with_index(index, scope);
    if (!problem.empty()) repeat.error("index", std::move(problem));
  }
  if (items != nullptr && items->items.empty()) repeat.error("items", "needs at least one entry");
  repeat.finish();
  const bool is_good = diagnostics_->count() == errors_before;
  if (!is_good || !takes_from_bounds(repeat, rounds, *items)) {
    entries.push_back({nullptr, path, &scope});
    return;
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    add_items(*items, path + ".items", rounds_.emplace_back(scope, index, round), entries);
  }
}

bool Repeats::takes_from_bounds(Fields& repeat, std::size_t rounds, const YamlNode& items) {
  if (is_beyond_bounds_) return false;
  const auto entries =
      rounds * static_cast<std::size_t>(std::count_if(items.items.begin(), items.items.end(),
                                                      [](const auto& item) { return !is_repeat(item); }));
  const std::size_t bytes = rounds * written_bytes(items);  // bounds the time of rounds without entries too
  is_beyond_bounds_ = entries > entries_left_ || bytes > bytes_left_;
  if (entries > entries_left_) {
    repeat.error(kRepeat,
                 "the repeats of this file give more than " + std::to_string(kMaxRepeatedEntries) + " entries");
  } else if (bytes > bytes_left_) {
    repeat.error(kRepeat, "the repeats of this file, written out, are larger than " +
                              std::to_string(kMaxYamlBytes >> 20U) + " MiB");
  } else {
    entries_left_ -= entries;
    bytes_left_ -= bytes;
  }
  return !is_beyond_bounds_;
}

}  // namespace kinloop
