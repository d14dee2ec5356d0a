// Owns StepStatus: how a step, or an evaluation inside it, ended.
#pragma once

#include <string_view>

namespace kinloop {

enum class StepStatus {
  kOk,
  kSingularMass,  // a freedom moves no inertia: its acceleration is not defined
  kNotFinite,     // a number overflowed: the motion has diverged
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
  }
  return "unknown status";
}

}  // namespace kinloop
