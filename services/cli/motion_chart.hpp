// Owns the picture of a motion in a terminal: one line a coordinate, with its range and its course over time.
#pragma once

#include <iosfwd>
#include <limits>
#include <string>
#include <vector>

#include "core/model/state.hpp"

namespace kinloop::cli {

class MotionChart {
 public:
  MotionChart(const Model& model, double duration_s);

  void add(const State& state);
  /// Start, least, most, end and a line of bars from least to most. Large models show their first coordinates only.
  void print(std::ostream& out) const;

 private:
  struct Line {
    std::string name;
    int q = 0;
    double start = 0.0, end = 0.0;
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    std::vector<double> course;
  };

  double duration_s_;
  int left_out_ = 0;
  std::vector<Line> lines_;
};

}  // namespace kinloop::cli
