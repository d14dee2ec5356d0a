// Looks how far open the loops are, then assembles.
#include "core/constraints/consistent_initial_state.hpp"

#include <utility>
#include <vector>

#include "core/base/at.hpp"
#include "core/base/short_number.hpp"
#include "core/constraints/assembly.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {

Result<ClosedStart> consistent_initial_state(const Model& model, double max_open) {
  if (!model.has_loops()) return ClosedStart{model.initial_q(), model.initial_v()};
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  update_loop_constraints(model, state, ws);
  const double error = closure_error(ws);
  if (error > max_open) {
    return Error{"initial state", "the loops are open by " + with_two_digits(error) +
                                      " (rad, or lengths of the mechanism): there is nothing to simulate yet"};
  }
  return closed_near(model, model.initial_q(), model.initial_v(), "initial state");
}

Result<ClosedStart> closed_near(const Model& model, const VectorX& q, const VectorX& v, const char* where) {
  const std::vector<char> none_held(at(model.nv()), 0);
  Assembly assembly = assemble(model, q, v, none_held);
  if (!assembly.closed) {
    return Error{where, "the loops cannot be closed: open by " + with_two_digits(assembly.error)};
  }
  return ClosedStart{std::move(assembly.q), std::move(assembly.v)};
}

}  // namespace kinloop
