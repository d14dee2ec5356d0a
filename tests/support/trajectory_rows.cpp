// Reads line by line.
#include "tests/support/trajectory_rows.hpp"

#include <fstream>
#include <sstream>

#include "tests/support/vectors.hpp"

namespace kinloop::test {

std::vector<std::vector<double>> trajectory_rows(const std::string& file_name) {
  std::ifstream in(trajectory_path(file_name));
  std::string line;
  std::getline(in, line);  // names
  std::vector<std::vector<double>> rows;
  while (std::getline(in, line)) {
    std::vector<double> row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
    rows.push_back(row);
  }
  return rows;
}

}  // namespace kinloop::test
