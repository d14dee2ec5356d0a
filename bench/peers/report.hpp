// Owns the results on trees and their two forms: a table for people, JSON for comparison.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace kinloop::bench {

/// What one contestant achieved on one mechanism.
struct Entry {
  double acceleration_difference = 0.0;  // from the first contestant, relative to the largest acceleration
  double angle_difference = 0.0;         // after a few steps
  double forward_dynamics_ns = 0.0;      // minimum over the batches
  double step_ns = 0.0;
};

struct Row {
  std::string mechanism;
  int dofs = 0;
  std::vector<Entry> entries;  // in the order of Report::contestants
  bool agrees = true;
};

struct Report {
  struct Name {
    std::string name, configuration;
  };
  std::vector<Name> contestants;
  std::vector<Row> rows;
};

void print_header(const Report& report);
void print_row(const Report& report, const Row& row);

nlohmann::ordered_json to_json(const Report& report);

}  // namespace kinloop::bench
