// Owns the printing of the benchmark's results.
#include "bench/peers/report.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace kinloop::bench {
namespace {

// Best of the others over ours; 0 when ours or all others are missing.
double ratio(const Report& report, const Row& row, double Entry::*time_ns) {
  double ours = 0.0, best = 0.0;
  for (std::size_t i = 0; i < row.entries.size(); ++i) {
    const double ns = row.entries[i].*time_ns;
    if (report.contestants[i].name == "kinloop")
      ours = ns;
    else if (best == 0.0 || ns < best)
      best = ns;
  }
  return ours > 0.0 ? best / ours : 0.0;
}

void print_ratio(double value) {
  if (value > 0.0)
    std::printf("%9.2f", value);
  else
    std::printf("%9s", "-");
}

}  // namespace

void print_header(const Report& report) {
  for (const Report::Name& contestant : report.contestants)
    std::printf("%-8s  %s\n", contestant.name.c_str(), contestant.configuration.c_str());
  std::printf(
      "\nns, minimum over the batches; x = best peer / kinloop; diff = largest relative difference of "
      "accelerations, and of angles after 10 steps\n\n%-18s %4s |",
      "mechanism", "nv");
  for (const Report::Name& contestant : report.contestants) std::printf("%9s", contestant.name.c_str());
  std::printf("%9s |", "fd x");
  for (const Report::Name& contestant : report.contestants) std::printf("%9s", contestant.name.c_str());
  std::printf("%9s | %8s %8s\n", "step x", "diff", "diff q");
}

void print_row(const Report& report, const Row& row) {
  double acceleration = 0.0, angle = 0.0;
  for (const Entry& entry : row.entries) {
    acceleration = std::max(acceleration, entry.acceleration_difference);
    angle = std::max(angle, entry.angle_difference);
  }
  std::printf("%-18s %4d |", row.mechanism.c_str(), row.dofs);
  for (const Entry& entry : row.entries) std::printf("%9.0f", entry.forward_dynamics_ns);
  print_ratio(ratio(report, row, &Entry::forward_dynamics_ns));
  std::printf(" |");
  for (const Entry& entry : row.entries) std::printf("%9.0f", entry.step_ns);
  print_ratio(ratio(report, row, &Entry::step_ns));
  std::printf(" | %8.1e %8.1e%s\n", acceleration, angle, row.agrees ? "" : "  DISAGREES");
  std::fflush(stdout);
}

nlohmann::ordered_json to_json(const Report& report) {
  nlohmann::ordered_json out;
  for (const Report::Name& contestant : report.contestants)
    out["contestants"][contestant.name] = contestant.configuration;
  out["mechanisms"] = nlohmann::ordered_json::array();
  for (const Row& row : report.rows) {
    nlohmann::ordered_json line{{"name", row.mechanism}, {"dofs", row.dofs}, {"agrees", row.agrees}};
    for (std::size_t i = 0; i < row.entries.size(); ++i) {
      const Entry& entry = row.entries[i];
      line[report.contestants[i].name] = {{"forward_dynamics_ns", entry.forward_dynamics_ns},
                                          {"step_ns", entry.step_ns},
                                          {"acceleration_difference", entry.acceleration_difference},
                                          {"angle_difference", entry.angle_difference}};
    }
    out["mechanisms"].push_back(std::move(line));
  }
  return out;
}

}  // namespace kinloop::bench
