// Owns the access of tests to the stored vectors and trajectories.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "services/files/load_model.hpp"

namespace kinloop::test {

std::filesystem::path vector_path(const std::string& name);
std::filesystem::path trajectory_path(const std::string& file_name);

/// Names of all vector files, in alphabetical order.
std::vector<std::string> vector_names();

/// Loads a stored vector file; aborts if it cannot, since the file is part of the project.
LoadedModel load_vectors(const std::string& name);

}  // namespace kinloop::test
