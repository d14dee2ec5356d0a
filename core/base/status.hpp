// Owns StepStatus: how a step, or an evaluation inside it, ended.
#pragma once

#include <string_view>

namespace kinloop {

enum class StepStatus {
  kOk,
  kClosureCapped,  // the step is done, but closing the loops took all iterations allowed and is not complete
  kSingularMass,   // a degree of freedom moves no inertia: its acceleration is not defined
  kDiverged,       // speeds beyond any bound, or a number that is none
  kNotConverged,   // an iteration reached its bound; nothing was written
  kLoopsOpen,      // the loops could not be closed
  kUnverified,     // no formulation's accelerations stand their check
  kUnresolved,     // the motion turned within less than the step: nothing was written
};

/// Whether the state has advanced.
constexpr bool is_done(StepStatus status) noexcept {
  return status == StepStatus::kOk || status == StepStatus::kClosureCapped;
}

/// A sentence for people.
constexpr std::string_view describe(StepStatus status) noexcept {
  switch (status) {
    case StepStatus::kOk:
      return "done";
    case StepStatus::kClosureCapped:
      return "done, but the loops were not closed to tolerance within the iterations allowed";
    case StepStatus::kSingularMass:
      return "singular mass matrix: a degree of freedom moves no inertia";
    case StepStatus::kDiverged:
      return "the motion diverged: speeds grew beyond all bounds";
    case StepStatus::kNotConverged:
      return "an iterative solver reached its bound of iterations";
    case StepStatus::kLoopsOpen:
      return "the loops could not be closed after the step";
    case StepStatus::kUnverified:
      return "no formulation finds accelerations that keep the loops closed";
    case StepStatus::kUnresolved:
      return "the step is too long for the motion: closing the loops after it would change most of their speed";
  }
  return "unknown status";
}

}  // namespace kinloop
