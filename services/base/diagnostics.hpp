// Owns Diagnostics: every error found in one file, in file order.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "services/base/former_keys.hpp"
#include "services/base/source_position.hpp"

namespace kinloop {

/// Collects the errors of one file so that the user sees them all at once.
class Diagnostics {
 public:
  static constexpr std::size_t kShownErrors = 50;

  explicit Diagnostics(std::string file_name, FormerKeys former_keys = FormerKeys::kRefused);

  /// Adds an error about a place; `field` ("bodies[2].mass") may be empty. Within a repeat, `round` ("i = 2") says in
  /// which round; what is said again of the same place in another round is one mistake and shown once.
  void add(SourcePosition position, const std::string& field, std::string what, const std::string& round = {});

  /// Counts, without showing it, what follows from an error that is shown elsewhere.
  void add_consequence() noexcept;

  bool empty() const noexcept { return count_ == 0; }
  /// Errors so far, shown or not: if it has grown while something was read, that was not read well.
  std::size_t count() const noexcept { return count_; }
  /// So many errors that further ones are only counted; a reader may stop looking.
  bool is_full() const noexcept;
  const std::string& file_name() const noexcept { return file_name_; }
  /// Whether keys under their former names are errors of this file.
  FormerKeys former_keys() const noexcept { return former_keys_; }

  /// The errors sorted by position, the first kShownErrors of them and then one that says how many more there are.
  /// `where` is "file:line:column" or "file:line:column: field".
  std::vector<Error> errors() const;

 private:
  struct Entry {
    SourcePosition position;
    Error error;
  };

  std::string file_name_;
  FormerKeys former_keys_;
  std::vector<Entry> entries_;
  std::size_t count_ = 0;
  std::set<std::pair<SourcePosition, std::string>> said_in_rounds_;
  std::size_t not_shown_ = 0;  // consequences, and what was said of an earlier round
};

/// One line for the user: "file:line:column: field: what".
std::string to_line(const Error& error);

}  // namespace kinloop
