// Owns StepStatus: how a step, or an evaluation inside it, ended.
#pragma once

#include <string_view>

namespace kinloop {

enum class StepStatus {
  kOk,
  kSingularMass,  // a freedom moves no inertia: its acceleration is not defined
  kNotFinite,     // a number overflowed: the motion has diverged
  kNotConverged,  // an iteration reached its bound; nothing was written
};

/// A sentence for people.
constexpr std::string_view describe(StepStatus status) noexcept {
  switch (status) {
    case StepStatus::kOk:
      return "done";
    case StepStatus::kSingularMass:
      return "singular mass matrix: a freedom moves no inertia";
    case StepStatus::kNotFinite:
      return "the motion diverged: a number is not finite";
    case StepStatus::kNotConverged:
      return "an iterative solver reached its bound of iterations";
  }
  return "unknown status";
}

}  // namespace kinloop
