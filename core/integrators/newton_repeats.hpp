// Owns the rule by which an implicit step repeats Newton's step.
#pragma once

namespace kinloop {

/// A Newton step that changes the prediction's speeds by more than this share has left the place that it was made for:
/// an impact, a start off the stiff motions. It is made again from where it led to, so often at the most.
inline constexpr int kMaxNewtonSteps = 4;

/// Whether it is made again after step i, which changed speeds by `change` and led to speeds up to `speed`; `before` is
/// the change of the step before it.
inline bool repeats_newton_step(int i, double change, double before, double speed) noexcept {
  constexpr double kLargeChange = 0.1;
  constexpr double kSmallSpeed = 1e-6;  // m/s or rad/s
  return change > kLargeChange * speed + kSmallSpeed && (i <= 0 || change <= before);
}

}  // namespace kinloop
