// Owns the reading of Kinloop's own model files (docs/model-format.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "services/files/yaml_document.hpp"

namespace kinloop {

/// A model and what is unusual about it, with places in the file.
struct CompiledModelFile {
  Model model;
  std::vector<Error> warnings;
};

/// Whether this looks like a model file: it has the key `kinloop`, `bodies` or `joints`.
bool is_model_file(const YamlNode& root) noexcept;

/// What the file describes. Finds everything that can be said about the fields one by one; the rest is compile()'s.
Result<ModelSpec, std::vector<Error>> read_model(const YamlDocument& document);

/// Reads and compiles; every error is "file:line:column: field: what".
Result<CompiledModelFile, std::vector<Error>> compile_model(const YamlDocument& document);

}  // namespace kinloop
