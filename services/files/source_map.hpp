// Owns SourceMap: finds the place of a field path in the file.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "services/base/diagnostics.hpp"
#include "services/files/yaml_node.hpp"

namespace kinloop {

/// Finds the place of a field path such as "bodies[2].mass"; for errors that are found after the file was read.
/// The tree must outlive it.
class SourceMap {
 public:
  explicit SourceMap(const YamlNode& root) : root_(&root) {}

  /// Says that what others call `path` ("bodies[2]") stands in the file at `file_path` ("bodies.arm"); within a
  /// repeat also in which round of it ("i = 2").
  void alias(std::string path, std::string file_path, std::string round = {});

  /// The path as the user knows it: with the longest alias that fits replaced.
  std::string file_path(std::string_view path) const { return find(path).file_path; }

  /// The place of the value, or of the nearest value around it that exists.
  SourcePosition position(std::string_view path) const { return position_in_file(find(path).file_path); }

  /// Adds an error whose `where` is a field path, with its place.
  void report(const Error& error, Diagnostics& diagnostics) const;

 private:
  struct Place {
    std::string file_path;
    std::string round;
  };

  Place find(std::string_view path) const;
  SourcePosition position_in_file(std::string_view file_path) const;

  const YamlNode* root_;
  std::map<std::string, Place, std::less<>> aliases_;
};

}  // namespace kinloop
