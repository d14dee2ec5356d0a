// Owns the short ways to a model: from a text or a file, read or compiled. The program asks load_model().
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "services/files/model_file.hpp"

namespace kinloop {

inline Result<ModelSpec, std::vector<Error>> read_model_text(const std::string& text, const std::string& file_name) {
  const auto document = parse_yaml(text, file_name);
  if (!document) return document.error();
  return read_model(*document);
}

inline Result<ModelSpec, std::vector<Error>> read_model_file(const std::filesystem::path& path) {
  const auto document = read_yaml_file(path);
  if (!document) return document.error();
  return read_model(*document);
}

inline Result<CompiledModelFile, std::vector<Error>> compile_model_text(const std::string& text,
                                                                        const std::string& file_name) {
  const auto document = parse_yaml(text, file_name);
  if (!document) return document.error();
  return compile_model(*document);
}

inline Result<CompiledModelFile, std::vector<Error>> compile_model_file(const std::filesystem::path& path) {
  const auto document = read_yaml_file(path);
  if (!document) return document.error();
  return compile_model(*document);
}

}  // namespace kinloop
