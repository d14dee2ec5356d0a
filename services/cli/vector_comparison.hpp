// Owns the comparison of a formulation with the values that an independent solver expects.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/status.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "services/files/load_model.hpp"

namespace kinloop {

/// Largest relative errors over the cases of a file, each max|difference| / max(1, max|expected|) within one case.
/// Infinite where a value is not a number; nothing where no value could be compared.
struct VectorErrors {
  std::optional<double> udot;
  std::optional<double> motion;        // R, p, omega, v_origin of all bodies
  std::optional<double> acceleration;  // alpha, a_origin, a_com of all bodies
  std::optional<double> reactions;     // components that statics determine, joints of the tree
  std::optional<double> energy;        // kinetic and potential
  int skipped = 0;                     // reactions of joints that were merged with their body
};

struct VectorComparison {
  StepStatus status = StepStatus::kOk;  // the first failure; then the errors are those of the cases before it
  VectorErrors errors;

  double worst() const noexcept;
};

/// Evaluates all cases of a vector file.
VectorComparison compare_with_vectors(const LoadedModel& file, Dynamics& dynamics);

}  // namespace kinloop
