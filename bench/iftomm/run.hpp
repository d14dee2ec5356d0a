// Owns one timed simulation of a problem, and its score.
#pragma once

#include <limits>
#include <string>

#include "bench/iftomm/problem.hpp"
#include "core/base/status.hpp"

namespace kinloop::bench {

/// How a problem is simulated.
struct Method {
  std::string formulation = "auto";
  std::string integrator = "rk4";
  int steps_per_output = 1;
};

/// When to give up.
struct Bounds {
  double error = std::numeric_limits<double>::infinity();
  double wall_s = std::numeric_limits<double>::infinity();
};

struct Score {
  bool finished = false;  // false: a step failed, or a bound was passed
  bool out_of_time = false;
  StepStatus status = StepStatus::kOk;  // of the step that failed
  long steps = 0;
  double wall_s = 0.0;          // of the steps
  double error = 0.0;           // root mean square over outputs and quantities
  double worst = 0.0;           // the largest of them
  double energy_error_J = 0.0;  // largest at the outputs
};

/// The error of a quantity is |y - y_ref| / max(|y_ref|, threshold).
Score run(const Problem& problem, const Method& method, const Bounds& bounds = {});

/// The observed quantities at all outputs, and the balanced energies; aborts if a step fails.
struct Trajectory {
  MatrixX observed;
  VectorX energy_J;
};
Trajectory record(const Problem& problem, int outputs, const Method& method);

/// The root mean square error of one trajectory measured by another.
double error_of(const Problem& problem, const MatrixX& observed, const MatrixX& reference);

}  // namespace kinloop::bench
