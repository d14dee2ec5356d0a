// Owns the reading of YAML (and so JSON) into a YamlNode tree; the one wrapper around libfyaml.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "services/base/former_keys.hpp"
#include "services/files/yaml_node.hpp"

namespace kinloop {

/// A parsed file.
struct YamlDocument {
  std::string file_name;  ///< as the user wrote it, for messages
  YamlNode root;          ///< never null: an empty file is an error
  FormerKeys former_keys = FormerKeys::kRefused;
};

inline constexpr std::size_t kMaxYamlBytes = std::size_t{16} << 20U;
inline constexpr std::size_t kMaxYamlDepth = 64;
inline constexpr std::size_t kMaxYamlNodes = 1'000'000;

/// Parses any bytes. Refused, each with its place: syntax errors, duplicate keys, keys that are not plain text,
/// anchors, aliases, merge keys, tags, directives, a second document, and more than the bounds above.
Result<YamlDocument, std::vector<Error>> parse_yaml(const std::string& text, const std::string& file_name);

/// Reads and parses a file.
Result<YamlDocument, std::vector<Error>> read_yaml_file(const std::filesystem::path& path);

}  // namespace kinloop
