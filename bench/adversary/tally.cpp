// Counts the lines of the workers.
#include "bench/adversary/tally.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace kinloop::adversary {

void Tally::take(const std::string& line) {
  std::istringstream in(line);
  std::string kind, family;
  in >> kind >> family;
  Row& row = rows_[family];
  if (kind == "reject") {
    ++row.drawn;
    ++row.rejected;
    std::string reason;
    std::getline(in >> std::ws, reason);
    ++rejects_[reason];
  } else if (kind == "drawn") {
    std::string state;
    int unresolved = 0;
    in >> state >> unresolved;
    ++row.drawn;
    row.ambiguous += state == "ambiguous" ? 1 : 0;
    row.unresolved += unresolved;
  } else if (kind == "method") {
    std::string name;
    int refused = 0, compared = 0, wrong = 0, stopped = 0;
    double ratio = 0.0, drift_ratio = 0.0;
    in >> name >> refused >> compared >> wrong >> stopped >> ratio >> drift_ratio;
    Cell& cell = row.cells[name];
    cell.refused += refused;
    cell.compared += compared;
    cell.wrong += wrong;
    cell.stopped += stopped;
    cell.ratio = std::max(cell.ratio, ratio);
    cell.drift_ratio = std::max(cell.drift_ratio, drift_ratio);
  } else if (kind == "finding") {
    std::string check, integrator;
    in >> check >> integrator;
    ++findings_;
    ++checks_[check == "integrator" ? "integrator " + integrator : check];
  } else if (kind == "apart") {
    std::string why;
    std::getline(in >> std::ws, why);
    ++apart_[why.substr(0, why.find(" - "))];
  }
}

void Tally::print() const {
  std::printf("\n%-16s %6s %6s %6s %6s | %-18s %7s %8s %6s %7s %9s %9s\n", "family", "drawn", "reject", "ambig",
              "unres", "formulation", "refused", "compared", "wrong", "stopped", "err/tol", "drift/best");
  for (const auto& [family, row] : rows_) {
    bool first = true;
    for (const auto& [name, cell] : row.cells) {
      if (first) {
        std::printf("%-16s %6d %6d %6d %6d | ", family.c_str(), row.drawn, row.rejected, row.ambiguous, row.unresolved);
      } else {
        std::printf("%-16s %6s %6s %6s %6s | ", "", "", "", "", "");
      }
      first = false;
      std::printf("%-18s %7d %8d %6d %7d %9.1e %9.1e\n", name.c_str(), cell.refused, cell.compared, cell.wrong,
                  cell.stopped, cell.ratio, cell.drift_ratio);
    }
  }
  for (const auto& [check, count] : checks_) std::printf("findings, %s: %d\n", check.c_str(), count);
  for (const auto& [why, count] : apart_) std::printf("stops counted apart, %s: %d\n", why.c_str(), count);
  for (const auto& [reason, count] : rejects_) std::printf("rejected, %s: %d\n", reason.c_str(), count);
}

}  // namespace kinloop::adversary
