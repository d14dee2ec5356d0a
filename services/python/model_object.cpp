// Loads models, and evaluates them at motions that are given from outside.
#include "services/python/model_object.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "core/analysis/rollout.hpp"
#include "core/base/at.hpp"
#include "core/base/nearest_name.hpp"
#include "core/base/short_number.hpp"
#include "core/base/stepping_mode.hpp"
#include "core/constraints/consistent_initial_state.hpp"
#include "core/constraints/constraints.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/kinematics/body_output.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "services/files/model_file.hpp"
#include "services/python/failure.hpp"

namespace kinloop::python {
namespace {

constexpr double kShortestQuaternion = 1e-3;

template <class Matrix>
const Matrix& finite(const Matrix& numbers) {
  if (!numbers.allFinite()) {
    throw Failure(StepStatus::kDiverged, "the answer is not finite: coordinates or speeds are too large");
  }
  return numbers;
}

}  // namespace

Failure refusal_of(std::vector<Error> errors) {
  for (Error& error : errors) {
    if (const std::optional<std::string> name = parameter_at_fault(error)) error.where = "parameters." + *name;
  }
  return Failure(std::move(errors));
}

std::shared_ptr<const LoadedModel> load_model_object(const std::string& file, const std::string* text,
                                                     const Settings& parameters, const std::string& base) {
  if (text == nullptr) {
    LoadOptions options;
    options.import.base = known(find_base(base));
    options.parameters = parameters;
    auto loaded = load_model(file, options);
    if (!loaded) throw refusal_of(loaded.error());
    return std::make_shared<LoadedModel>(std::move(loaded).value());
  }
  auto document = parse_yaml(*text, file);
  if (!document) throw refusal_of(document.error());
  if (!is_model_file(document->root)) {
    throw Failure(std::vector<Error>{{file, "is no Kinloop model: it has none of the keys kinloop, bodies, joints"}});
  }
  const std::vector<Error> unknown = set_parameters(parameters, *document);
  if (!unknown.empty()) throw refusal_of(unknown);
  auto compiled = compile_model(*document);
  if (!compiled) throw refusal_of(compiled.error());
  return std::make_shared<LoadedModel>(
      LoadedModel{std::move(compiled->model), FileKind::kKinloop, std::move(compiled->warnings), {}, {}});
}

ModelObject::ModelObject(std::shared_ptr<const LoadedModel> loaded)
    : loaded_(std::move(loaded)),
      ws_(model()),
      loads_(model()),
      fresh_(model()),
      at_rest_(VectorX::Zero(model().nv())) {}

ModelObject::Place ModelObject::place(const std::string& name) const {
  std::vector<std::string_view> names;
  for (const FrameOnBodySpec& frame : model().spec().frames) {
    if (frame.name == name) return {model().find_body(frame.body), frame.pose};
    names.emplace_back(frame.name);
  }
  const int body = model().find_body(name);
  if (body >= 0) return {body, {}};
  for (int k = 0; k < model().body_count(); ++k) names.emplace_back(model().body_name(k));
  throw Failure(FailureKind::kUnknownName, "place",
                "no body or frame is named " + in_quotes(name) + did_you_mean(name, names));
}

Pose ModelObject::pose(const VectorX& q, const Place& place) {
  place_bodies(q);
  const BodyOutput body = body_output(model(), ws_, place.body);
  return Pose{body.R, body.p} * place.in_body;
}

std::vector<Pose> ModelObject::poses(const VectorX& q) {
  place_bodies(q);
  std::vector<Pose> all;
  for (int k = 0; k < model().body_count(); ++k) {
    const BodyOutput body = body_output(model(), ws_, k);
    all.push_back({body.R, body.p});
  }
  return all;
}

MatrixX ModelObject::velocities(const Motion& motion) {
  place_motion(motion);
  MatrixX all(model().body_count(), 6);
  for (int k = 0; k < model().body_count(); ++k) {
    const BodyOutput body = body_output(model(), ws_, k);
    all.row(k) << body.omega.transpose(), body.v_origin.transpose();
  }
  return finite(all);
}

/// A speed moves the place if its joint lies on the way from the ground.
MatrixX ModelObject::jacobian(const VectorX& q, const Place& place) {
  place_bodies(q);
  const BodyOutput body = body_output(model(), ws_, place.body);
  const Vector3 point = body.p + body.R * place.in_body.p;
  MatrixX J = MatrixX::Zero(6, model().nv());
  for (int k = place.body; k > 0; k = model().body(k).parent) {
    const BodyConstants& constants = model().body(k);
    const Vector3 arm = point - ws_.motion[at(k)].x.eigen();
    for (int i = constants.v; i < constants.v + constants.nv; ++i) {
      const Vector3 angular = ws_.Hw[at(i)].eigen();
      J.col(i).head<3>() = angular;
      J.col(i).tail<3>() = ws_.Hv[at(i)].eigen() + angular.cross(arm);
    }
  }
  return finite(J);
}

MatrixX ModelObject::mass_matrix(const VectorX& q) {
  place_bodies(q);
  MatrixX M;
  kinloop::mass_matrix(model(), ws_, M);
  return finite(M);
}

MatrixX ModelObject::constraint_jacobian(const VectorX& q) {
  place_bodies(q);
  MatrixX C = MatrixX::Zero(constraint_rows(model()), model().nv());
  if (model().has_loops()) constraint_matrix(model(), ws_, C);
  return finite(C);
}

double ModelObject::closure_error(const VectorX& q) {
  place_bodies(q);
  return model().has_loops() ? kinloop::closure_error(ws_) : 0.0;
}

ModelObject::Motion ModelObject::closed(const Motion& motion) {
  const Motion given = prepared(motion);
  if (!model().has_loops()) return given;
  const SteppingMode mode;
  ClosedStart near = valid(closed_near(model(), given.q, given.v, "q"));
  return {finite(near.q), finite(near.v), given.time_s};
}

VectorX ModelObject::forward_dynamics(const Motion& motion, const VectorX& tau, const std::string& formulation) {
  solve(motion, tau, formulation);
  return finite(ws_.vdot);
}

VectorX ModelObject::inverse_dynamics(const Motion& motion, const VectorX& vdot) {
  const Motion given = place_motion(motion);
  const SteppingMode mode;
  loads_.tau.setZero();
  add_forces(model(), given.q.data(), given.v.data(), loads_, ws_);
  ws_.vdot = vdot;
  for (const int i : model().driven_speeds()) ws_.vdot[i] = ws_.prescribed[i];
  update_body_accelerations(model(), ws_);
  std::vector<SpatialVector> wrench(at(model().body_count()));
  joint_reactions(model(), ws_, {}, wrench);
  VectorX tau(model().nv());
  generalized_forces(model(), ws_, wrench, tau);
  return finite(VectorX(tau - ws_.tau));
}

Reactions ModelObject::reactions(const Motion& motion, const VectorX& tau, const std::string& formulation) {
  solve(motion, tau, formulation);
  finite(ws_.vdot);
  return find_reactions(model(), ws_);
}

Energy ModelObject::energy(const Motion& motion) {
  const Motion given = place_motion(motion);
  return kinloop::energy(model(), given.q.data(), given.v.data(), ws_);
}

Momentum ModelObject::momentum(const Motion& motion) {
  place_motion(motion);
  return kinloop::momentum(model(), ws_);
}

MassCentre ModelObject::mass_centre(const VectorX& q) {
  place_bodies(q);
  return kinloop::mass_centre(model(), ws_);
}

VectorX ModelObject::integrate(const VectorX& q, const VectorX& increment) const {
  const VectorX from = unit_quaternions(q);
  VectorX to = from;
  advance_configuration(model(), from.data(), increment.data(), to.data());
  return finite(to);
}

VectorX ModelObject::difference(const VectorX& from, const VectorX& to) const {
  VectorX increment = VectorX::Zero(model().nv());
  const VectorX a = unit_quaternions(from), b = unit_quaternions(to);
  configuration_difference(model(), a.data(), b.data(), increment.data());
  return finite(increment);
}

VectorX ModelObject::unit_quaternions(VectorX q) const {
  for (const int k : model().quaternion_bodies()) {
    const BodyConstants& body = model().body(k);
    auto quaternion = q.segment<4>(body.q + joint_kind(body.joint).quaternion);
    const double length = quaternion.norm();
    if (!(length >= kShortestQuaternion) || !std::isfinite(length)) {
      throw Failure(FailureKind::kInvalid, "q", model().joint_name(k) + ": its quaternion has no length");
    }
    quaternion /= length;
  }
  return q;
}

ModelObject::Motion ModelObject::prepared(const Motion& motion) const {
  return {unit_quaternions(motion.q), motion.v, motion.time_s};
}

void ModelObject::place_bodies(const VectorX& q) { place_motion({q, at_rest_, 0.0}); }

ModelObject::Motion ModelObject::place_motion(const Motion& motion) {
  Motion given = prepared(motion);
  const SteppingMode mode;
  update_kinematics(model(), given.q.data(), given.v.data(), given.time_s, ws_);
  if (model().has_loops()) update_loop_constraints(model(), given.q.data(), given.v.data(), given.time_s, ws_);
  return given;
}

/// Off the closed positions accelerations mean nothing.
void ModelObject::require_closed() const {
  const double error = kinloop::closure_error(ws_);
  if (error <= kMaxOpenGiven) return;
  throw Failure(FailureKind::kInvalid, "q",
                "the loops are open by " + with_two_digits(error) + " (rad, or lengths of the mechanism); " +
                    with_two_digits(kMaxOpenGiven) + " is the most: close() finds closed coordinates nearby");
}

void ModelObject::solve(const Motion& motion, const VectorX& tau, const std::string& formulation) {
  const Motion given = place_motion(motion);
  if (model().has_loops()) require_closed();
  std::unique_ptr<Dynamics>& dynamics = dynamics_[formulation];
  if (dynamics == nullptr) {
    auto made = make_dynamics(formulation, model());
    if (!made) {
      dynamics_.erase(formulation);
      throw Failure(FailureKind::kUnknownName, "dynamics", made.error().where + ": " + made.error().what);
    }
    dynamics = std::move(made).value();
  }
  const SteppingMode mode;
  loads_.tau = tau;
  dynamics->begin_step(fresh_);
  StepStatus status = accelerations(model(), given.q.data(), given.v.data(), given.time_s, loads_, *dynamics, ws_);
  while (!is_done(status) && dynamics->fall_back()) {
    dynamics->begin_step(fresh_);
    status = accelerations(model(), given.q.data(), given.v.data(), given.time_s, loads_, *dynamics, ws_);
  }
  dynamics->trust_again();
  require_done(status);
}

}  // namespace kinloop::python
