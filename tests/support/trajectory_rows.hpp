// Owns the reading of stored trajectories.
#pragma once

#include <string>
#include <vector>

namespace kinloop::test {

/// The numbers of a CSV in tests/data/trajectories, row by row, without the names.
std::vector<std::vector<double>> trajectory_rows(const std::string& file_name);

}  // namespace kinloop::test
