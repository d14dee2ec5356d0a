// Signals of the mechanism by the motions of its bodies, those of actuators by the device state.
#include "core/analysis/signal_slopes.hpp"

#include <cmath>

#include "core/base/at.hpp"
#include "core/forces/contact.hpp"
#include "core/forces/rope.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {
namespace {

Vec3 at_point(const SpatialVector& motion, const Vec3& P) noexcept { return motion.linear + cross(motion.angular, P); }

}  // namespace

SignalSlopes::SignalSlopes(Plant& plant, const std::vector<char>& independent)
    : plant_(plant), actuators_(plant.actuators()), slopes_(plant.model()), ws_(plant.model()), loads_(plant.model()) {
  slopes_.set_independent(independent);
}

bool SignalSlopes::update(const State& state) {
  const Model& model = plant_.model();
  if (plant_.senses_accelerations()) {
    loads_.tau.setZero();
    plant_.actuators().add_forces(state, loads_.tau);
    plant_.gather_wrenches(state, loads_.wrenches);
    Dynamics& dynamics = plant_.dynamics(state.level());
    dynamics.begin_step(state);
    if (kinloop::accelerations(model, state, loads_, dynamics, ws_) != StepStatus::kOk) return false;
  } else {
    update_kinematics(model, state, ws_);
    if (model.has_loops()) update_loop_constraints(model, state, ws_);
    ws_.vdot.setZero();
    ws_.tau.setZero();
  }
  return slopes_.update(state.q().data(), state.v().data(), loads_, ws_);
}

bool SignalSlopes::rows(const State& state, const StateChanges& changes, MatrixX& rows) {
  if (!update(state)) return false;
  da_ = MatrixX::Zero(plant_.model().nv(), changes.dq.cols());
  if (plant_.senses_accelerations()) {
    MatrixX dtau = da_;
    actuators_.add_forces(changes.dz, dtau);
    slopes_.accelerations(changes.dq, changes.dv, dtau, da_);
  }
  rows.resize(static_cast<Eigen::Index>(plant_.sensor_count()), changes.dq.cols());
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    const Signal& shown = plant_.signal(at(r));
    for (Eigen::Index c = 0; c < rows.cols(); ++c) rows(r, c) = signal(shown, state, changes, c);
  }
  return rows.allFinite();
}

double SignalSlopes::signal(const Signal& signal, const State& state, const StateChanges& changes,
                            Eigen::Index column) const {
  switch (signal.kind) {
    case SignalKind::kCoordinate:
      return coordinate(signal.index, state, changes, column);
    case SignalKind::kSpeed:
      return changes.dv(signal.index, column);
    case SignalKind::kCoordinateAcceleration:
      return da_(signal.index, column);
    case SignalKind::kActuatorForce:
      return changes.dz(actuators_.force_at(signal.index), column);
    case SignalKind::kActuatorQuantity:
      return changes.dz(actuators_.quantity_at(signal.index, signal.quantity), column);
    case SignalKind::kPumpPressure:
      return changes.dz(actuators_.pump_at(signal.index), column);
    case SignalKind::kRopeTension:
      return tension(plant_.model().ropes()[at(signal.index)], state, changes, column);
    case SignalKind::kRopeLength: {
      const Rope& rope = plant_.model().ropes()[at(signal.index)];
      return rope.v_winch >= 0 ? rope.pay_out * changes.dq(rope.v_winch, column) : 0.0;
    }
    case SignalKind::kContactForce:
      return contact(signal.index, changes, column);
    case SignalKind::kReaction:
      return 0.0;  // by differences: output_slopes.cpp
    case SignalKind::kPosition:
    case SignalKind::kVelocity:
    case SignalKind::kAcceleration:
    case SignalKind::kAngularVelocity:
      break;
  }
  return place(signal, changes, column);
}

/// An entry of q: a scalar coordinate, or part of a quaternion, dq = q (0, turn) / 2.
double SignalSlopes::coordinate(int q, const State& state, const StateChanges& changes, Eigen::Index column) const {
  const Model& model = plant_.model();
  for (int i = 0; i < model.nv(); ++i) {
    if (model.coordinate(i).q == q) return changes.dq(i, column);
  }
  for (const int k : model.quaternion_bodies()) {
    const BodyConstants& body = model.body(k);
    const int first = body.q + joint_kind(body.joint).quaternion;
    if (q < first || q >= first + 4) continue;
    const auto p = state.q().segment<4>(first);
    const Vector3 turn = 0.5 * changes.dq.col(column).segment<3>(body.v + body.nv - 3);
    const Vector3 xyz = p.tail<3>();
    if (q == first) return -xyz.dot(turn);
    return (p[0] * turn + cross(Vec3(xyz), Vec3(turn)).eigen())[q - first - 1];
  }
  return 0.0;
}

SignalSlopes::BodyChange SignalSlopes::body_change(int body, const StateChanges& changes, Eigen::Index column) const {
  const Model& model = plant_.model();
  const MotionSlopes& motion = slopes_.motion();
  const SpatialVector& v = motion.v[at(body)];
  const SpatialVector& a = motion.a[at(body)];
  BodyChange sum;
  for (int k = body; k > 0; k = model.body(k).parent) {
    for (int j = model.body(k).v; j < model.body(k).v + model.body(k).nv; ++j) {
      const SpatialVector& J = motion.J[at(j)];
      const SpatialVector& psi = motion.psi[at(j)];
      const double dq = changes.dq(j, column);
      const double dv = changes.dv(j, column);
      sum.moved = sum.moved + dq * J;
      sum.v = sum.v + dq * (cross_motion(J, v) + psi) + dv * J;
      sum.a = sum.a + dq * (cross_motion(J, a) + cross_motion(psi, v) + motion.c[at(j)]) +
              dv * (cross_motion(J, v) + motion.b[at(j)]) + da_(j, column) * J;
    }
  }
  return sum;
}

double SignalSlopes::place(const Signal& signal, const StateChanges& changes, Eigen::Index column) const {
  const Model& model = plant_.model();
  const MotionSlopes& motion = slopes_.motion();
  const auto k = at(signal.body);
  const Pose& frame = model.body_frame(signal.body);
  const Vec3 P = motion.place[k] + ws_.motion[k].R * Vec3(Vector3(frame.p + frame.R * signal.point));
  const BodyChange change = body_change(signal.body, changes, column);
  const Vec3 d = at_point(change.moved, P);
  const Vec3 du = at_point(change.v, P) + cross(motion.v[k].angular, d);
  switch (signal.kind) {
    case SignalKind::kPosition:
      return d[signal.axis];
    case SignalKind::kVelocity:
      return du[signal.axis];
    case SignalKind::kAcceleration:
      return (at_point(change.a, P) + cross(motion.a[k].angular, d) +
              cross(change.v.angular, at_point(motion.v[k], P)) + cross(motion.v[k].angular, du))[signal.axis];
    default:
      return change.v.angular[signal.axis];
  }
}

double SignalSlopes::tension(const Rope& rope, const State& state, const StateChanges& changes,
                             Eigen::Index column) const {
  if (!is_taut(rope, state.q().data(), ws_)) return 0.0;
  const PairSlope slope = rope_slope(rope, state.q().data(), state.v().data(), ws_);
  const MotionSlopes& motion = slopes_.motion();
  const Vec3 P = motion.place[at(slope.body_b)] + slope.arm_b;
  const auto of = [&](int body) {  // as if b moved so
    const BodyChange change = body_change(body, changes, column);
    const SpatialVector v = change.v - cross_motion(change.moved, motion.v[at(body)]) +
                            cross_motion(change.moved, motion.v[at(slope.body_b)]);
    return dot(slope.tension_by_place, at_point(change.moved, P)) + dot(slope.tension_by_rate, at_point(v, P));
  };
  double sum = of(slope.body_b) - of(slope.body_a);
  if (slope.winch >= 0) {
    sum += slope.tension_by_q * changes.dq(slope.winch, column) + slope.tension_by_v * changes.dv(slope.winch, column);
  }
  return sum;
}

double SignalSlopes::contact(int contact, const StateChanges& changes, Eigen::Index column) const {
  const Model& model = plant_.model();
  const MotionSlopes& motion = slopes_.motion();
  Vec3 force;
  Vec3 sum;
  for (const ContactPoint& point : model.contact_points()) {
    if (point.contact != contact || !touches(model, point, ws_)) continue;
    const PairSlope slope = contact_slope(model, point, ws_);
    const Vec3 P = motion.place[at(slope.body_b)] + slope.arm_b;
    const auto of = [&](int body) {
      const BodyChange change = body_change(body, changes, column);
      const SpatialVector v = change.v - cross_motion(change.moved, motion.v[at(body)]) +
                              cross_motion(change.moved, motion.v[at(slope.body_b)]);
      const Vec3 e = at_point(change.moved, P) + cross(change.moved.angular, slope.lever);
      return slope.force_by_place * e + slope.force_by_rate * at_point(v, P);
    };
    force += slope.force;
    sum += of(slope.body_b) - of(slope.body_a) +
           cross(body_change(slope.body_a, changes, column).moved.angular, slope.force);
  }
  const double size = std::sqrt(dot(force, force));
  return size > 0.0 ? dot(force, sum) / size : 0.0;
}

}  // namespace kinloop
