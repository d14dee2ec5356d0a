// Looks how far open the loops are, then assembles.
#include "core/constraints/consistent_initial_state.hpp"

#include <array>
#include <cstdio>

#include "core/constraints/assembly.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {
namespace {

std::string with_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1e", value);
  return text.data();
}

}  // namespace

Result<ClosedStart> consistent_initial_state(const Model& model, double max_open) {
  if (!model.has_loops()) return ClosedStart{model.initial_q(), model.initial_v()};
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  update_loop_constraints(model, state.q().data(), state.v().data(), ws);
  const double error = closure_error(ws);
  if (error > max_open) {
    return Error{"initial state", "the loops are open by " + with_digits(error) +
                                      " (rad, or lengths of the mechanism): there is nothing to simulate yet"};
  }
  const std::vector<char> none_held(static_cast<std::size_t>(model.nv()), 0);
  Assembly assembly = assemble(model, model.initial_q(), model.initial_v(), none_held);
  if (!assembly.closed) {
    return Error{"initial state", "the loops cannot be closed: open by " + with_digits(assembly.error)};
  }
  return ClosedStart{std::move(assembly.q), std::move(assembly.v)};
}

}  // namespace kinloop
