// Owns the access of tests to the model and rig files of the project.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kinloop::test {

/// configs/models/<name>.yaml
std::filesystem::path config_path(const std::string& name);
/// tests/bad_models/<name>.yaml, and <name>.expected beside it
std::filesystem::path bad_model_path(const std::string& name);

/// configs/rigs/<name>.yaml
std::filesystem::path rig_path(const std::string& name);
/// tests/bad_rigs/<name>.yaml, and <name>.expected beside it
std::filesystem::path bad_rig_path(const std::string& name);

/// Names of all files of these folders, in alphabetical order.
std::vector<std::string> config_names();
std::vector<std::string> bad_model_names();
std::vector<std::string> rig_names();
std::vector<std::string> bad_rig_names();

}  // namespace kinloop::test
