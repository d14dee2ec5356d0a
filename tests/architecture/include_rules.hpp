// Owns the include table of the architecture, as a check over a source tree.
#pragma once

#include <compare>
#include <filesystem>
#include <string>
#include <vector>

namespace kinloop::architecture {

/// One `#include` that its folder may not have.
struct Violation {
  std::string place;  // "core/model/model.cpp:12", relative to the root of the tree
  std::string what;

  friend auto operator<=>(const Violation&, const Violation&) = default;
};

/// Checks every C++ file of core, rt, services, proto, tests and bench below `root`; sorted by place.
std::vector<Violation> check_includes(const std::filesystem::path& root);

/// The number of C++ files `check_includes` would read.
int count_checked_files(const std::filesystem::path& root);

}  // namespace kinloop::architecture
