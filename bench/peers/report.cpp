// Owns the printing of the benchmark's results.
#include "bench/peers/report.hpp"

#include <algorithm>
#include <cstdio>

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
  std::printf("%-18s %4d |", row.mechanism.c_str(), row.freedoms);
  for (const Entry& entry : row.entries) std::printf("%9.0f", entry.forward_dynamics_ns);
  print_ratio(ratio(report, row, &Entry::forward_dynamics_ns));
  std::printf(" |");
  for (const Entry& entry : row.entries) std::printf("%9.0f", entry.step_ns);
  print_ratio(ratio(report, row, &Entry::step_ns));
  std::printf(" | %8.1e %8.1e%s\n", acceleration, angle, row.agrees ? "" : "  DISAGREES");
  std::fflush(stdout);
}

bool write_json(const Report& report, const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    std::perror(path.c_str());
    return false;
  }
  std::fprintf(file, "{\n  \"contestants\": {");
  for (std::size_t i = 0; i < report.contestants.size(); ++i)
    std::fprintf(file, "%s\n    \"%s\": \"%s\"", i == 0 ? "" : ",", report.contestants[i].name.c_str(),
                 report.contestants[i].configuration.c_str());
  std::fprintf(file, "\n  },\n  \"mechanisms\": [");
  for (std::size_t r = 0; r < report.rows.size(); ++r) {
    const Row& row = report.rows[r];
    std::fprintf(file, "%s\n    {\"name\": \"%s\", \"freedoms\": %d, \"agrees\": %s", r == 0 ? "" : ",",
                 row.mechanism.c_str(), row.freedoms, row.agrees ? "true" : "false");
    for (std::size_t i = 0; i < row.entries.size(); ++i) {
      const Entry& entry = row.entries[i];
      std::fprintf(file,
                   ",\n     \"%s\": {\"forward_dynamics_ns\": %.1f, \"step_ns\": %.1f, "
                   "\"acceleration_difference\": %.3g, \"angle_difference\": %.3g}",
                   report.contestants[i].name.c_str(), entry.forward_dynamics_ns, entry.step_ns,
                   entry.acceleration_difference, entry.angle_difference);
    }
    std::fprintf(file, "}");
  }
  std::fprintf(file, "\n  ]\n}\n");
  return std::fclose(file) == 0;
}

}  // namespace kinloop::bench
