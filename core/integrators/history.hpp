// Owns the use of the State's history by multi-step integrators.
#pragma once

#include "core/integrators/stage.hpp"

namespace kinloop {

/// What a sample holds besides q and v at the start of a past step.
enum class HistoryKind {
  kStates,  // nothing: vdot is zero
  kSlopes,  // vdot
};

/// How many past steps of this length can be used; 0 after a reset, a change of dt, or steps of another kind of method.
int past_steps(const State& state, HistoryKind kind, double dt_s) noexcept;

struct PastStep {
  Eigen::Map<const VectorX> q, v, vdot;
};

/// Step j of the past, j = 1 ... past_steps().
PastStep past_step(const Model& model, const State& state, int j) noexcept;

/// Makes the start of the step just accepted the newest of `past` + 1 samples.
void remember_step(HistoryKind kind, const Trial& start, const VectorX& vdot, int past, double dt_s,
                   State& state) noexcept;

}  // namespace kinloop
