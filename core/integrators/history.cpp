// Ring of past derivatives for multi-step methods, kept in the State.
#include "core/integrators/history.hpp"

#include <algorithm>

namespace kinloop {

int past_steps(const State& state, HistoryKind kind, double dt_s) noexcept {
  const bool fits = state.history_kind() == static_cast<int>(kind) && state.history_dt_s() == dt_s;
  return fits ? state.history_count() : 0;
}

PastStep past_step(const Model& model, const State& state, int j) noexcept {
  const double* sample = state.history((state.history_head() + kHistoryDepth - (j - 1)) % kHistoryDepth).data();
  return {{sample, model.nq()}, {sample + model.nq(), model.nv()}, {sample + model.nq() + model.nv(), model.nv()}};
}

void remember_step(HistoryKind kind, const Trial& start, const VectorX& vdot, int past, double dt_s,
                   State& state) noexcept {
  const int slot = (state.history_head() + 1) % kHistoryDepth;
  auto sample = state.history(slot);
  sample.head(start.q.size()) = start.q;
  sample.segment(start.q.size(), start.v.size()) = start.v;
  sample.tail(vdot.size()) = vdot;
  state.set_history_head(slot);
  state.set_history_count(std::min(past + 1, kHistoryDepth));
  state.set_history_dt_s(dt_s);
  state.set_history_kind(static_cast<int>(kind));
}

}  // namespace kinloop
