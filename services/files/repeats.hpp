// Owns the writing out of repeats: an entry {repeat: 5, index: i, items: [...]} stands for its items, five times.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "services/base/diagnostics.hpp"
#include "services/files/field_reader.hpp"
#include "services/files/parameter_scope.hpp"
#include "services/files/yaml_document.hpp"

namespace kinloop {

/// Entries that all repeats of one file may give together; written out they may be as long as a file (kMaxYamlBytes).
inline constexpr std::size_t kMaxRepeatedEntries = 10'000;

/// One entry of a list with all repeats written out.
struct ListEntry {
  const YamlNode* node = nullptr;         ///< null for a repeat that is wrong: nothing is known of its entries
  std::string path;                       ///< where it stands in the file: "bodies[1].items[0]"
  const ParameterScope* scope = nullptr;  ///< with the indices of the repeats around it
};

/// Writes out the lists of one file. Repeats may be nested; their nodes are shared, not copied.
/// Scope, diagnostics and lists must outlive it, and it must outlive the entries.
class Repeats {
 public:
  Repeats(const ParameterScope& scope, Diagnostics& diagnostics) : scope_(&scope), diagnostics_(&diagnostics) {}

  /// All entries of a sequence in order; reports repeats that are wrong.
  std::vector<ListEntry> entries_of(const YamlNode& list, const std::string& path);

 private:
  void add_items(const YamlNode& list, const std::string& path, const ParameterScope& scope,
                 std::vector<ListEntry>& entries);
  void add_rounds(const YamlNode& node, const std::string& path, const ParameterScope& scope,
                  std::vector<ListEntry>& entries);
  // Whether so many rounds of the items are still within the bounds; reports it once if not.
  bool takes_from_bounds(Fields& repeat, std::size_t rounds, const YamlNode& items);

  const ParameterScope* scope_;
  Diagnostics* diagnostics_;
  std::deque<ParameterScope> rounds_;  // a deque: entries point to its elements
  std::size_t entries_left_ = kMaxRepeatedEntries;
  std::size_t bytes_left_ = kMaxYamlBytes;
  bool is_beyond_bounds_ = false;
};

}  // namespace kinloop
