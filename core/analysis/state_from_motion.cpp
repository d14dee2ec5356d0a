// Makes a state from a motion that came from outside.
#include <cmath>

#include "core/analysis/rollout.hpp"
#include "core/base/short_number.hpp"
#include "core/constraints/consistent_initial_state.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {
namespace {

Result<bool> check_sizes(const Model& model, const VectorX& q, const VectorX& v) {
  const auto wrong = [](const char* where, Eigen::Index want, Eigen::Index have) {
    return Error{where, "the model has " + std::to_string(want) + " of them, not " + std::to_string(have)};
  };
  if (q.size() != model.nq()) return wrong("state.q", model.nq(), q.size());
  if (v.size() != model.nv()) return wrong("state.v", model.nv(), v.size());
  if (!q.allFinite()) return Error{"state.q", "must be finite"};
  if (!v.allFinite()) return Error{"state.v", "must be finite"};
  return true;
}

Result<bool> normalize_quaternions(const Model& model, VectorX& q) {
  constexpr double kShortest = 1e-3;
  for (const int k : model.quaternion_bodies()) {
    const BodyConstants& body = model.body(k);
    auto quaternion = q.segment<4>(body.q + joint_kind(body.joint).quaternion);
    const double length = quaternion.norm();
    if (!(length >= kShortest)) return Error{"state.q", model.joint_name(k) + ": its quaternion has no length"};
    if (std::abs(length - 1.0) > 1e-15) quaternion /= length;
  }
  return true;
}

Result<bool> put_driven(const Model& model, double time_s, VectorX& q, VectorX& v) {
  const VectorX given_q = q, given_v = v;
  apply_prescribed_motion(model, time_s, q.data(), v.data());
  for (const int i : model.driven_speeds()) {
    const int c = model.coordinate(i).q;
    const double off = std::abs(q[c] - given_q[c]), off_rate = std::abs(v[i] - given_v[i]);
    if (off <= kMaxOpenGiven * (1.0 + std::abs(q[c])) && off_rate <= kMaxOpenGiven * (1.0 + std::abs(v[i]))) continue;
    return Error{"state.q", model.speed_name(i) + ": its motion is prescribed, and it is off by " +
                                with_two_digits(off) + ", its speed by " + with_two_digits(off_rate)};
  }
  return true;
}

Result<bool> close_loops(const Model& model, double time_s, VectorX& q, VectorX& v) {
  if (!model.has_loops()) return true;
  Workspace ws(model);
  update_kinematics(model, q.data(), v.data(), time_s, ws);
  update_loop_constraints(model, q.data(), v.data(), time_s, ws);
  const double error = closure_error(ws), rate = closure_rate(ws);
  const double fastest = 1.0 + v.lpNorm<Eigen::Infinity>();
  if (!(error <= kMaxOpenGiven)) {
    return Error{"state.q", "the loops are open by " + with_two_digits(error) +
                                " (rad, or lengths of the mechanism); " + with_two_digits(kMaxOpenGiven) +
                                " is the most"};
  }
  if (!(rate <= kMaxOpenGiven * fastest)) {
    return Error{"state.v", "the loops open at " + with_two_digits(rate) + " per second; " +
                                with_two_digits(kMaxOpenGiven * fastest) + " is the most"};
  }
  // A motion that a plant gave away comes back as it was.
  const double closed = Stabilization{}.tolerance;
  if (error <= closed && rate <= closed * fastest) return true;
  Result<ClosedStart> near = closed_near(model, q, v, "state.q");
  if (!near) return near.error();
  q = std::move(near->q);
  v = std::move(near->v);
  return true;
}

}  // namespace

Result<State> state_from_motion(const Plant& plant, const State& like, const VectorX& q, const VectorX& v) {
  const Model& model = plant.model();
  State state = like;
  VectorX closed_q = q, closed_v = v;
  if (const auto checked = check_sizes(model, q, v); !checked) return checked.error();
  if (const auto checked = normalize_quaternions(model, closed_q); !checked) return checked.error();
  if (const auto checked = put_driven(model, like.time_s(), closed_q, closed_v); !checked) return checked.error();
  if (const auto checked = close_loops(model, like.time_s(), closed_q, closed_v); !checked) return checked.error();
  state.q() = closed_q;
  state.v() = closed_v;
  state.independent().setConstant(-1.0);  // chosen afresh
  state.set_history_count(0);
  return state;
}

}  // namespace kinloop
