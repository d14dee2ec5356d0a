// Owns the table of a sweep: family by formulation.
#pragma once

#include <map>
#include <string>

namespace kinloop::adversary {

class Tally {
 public:
  /// One line of a worker, see sweep.cpp.
  void take(const std::string& line);
  void print() const;
  int findings() const { return findings_; }

 private:
  struct Cell {
    int refused = 0, compared = 0, wrong = 0, stopped = 0;
    double ratio = 0.0, drift_ratio = 0.0;
  };
  struct Row {
    int drawn = 0, rejected = 0, ambiguous = 0, unresolved = 0;
    std::map<std::string, Cell> cells;
  };
  std::map<std::string, Row> rows_;
  std::map<std::string, int> rejects_;
  std::map<std::string, int> checks_, apart_;
  int findings_ = 0;
};

}  // namespace kinloop::adversary
