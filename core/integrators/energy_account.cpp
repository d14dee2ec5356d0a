// Powers at the ends and in the middle of each step, and their sums.
#include "core/integrators/energy_account.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/at.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/forces/loads.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop {
namespace {

double wrench_W(const Model& model, const ExternalWrench& wrench, const Workspace& ws) noexcept {
  const BodyMotion& motion = ws.motion[at(wrench.body)];
  const Pose& frame = model.body_frame(wrench.body);
  const Vec3 arm = motion.R * Vec3(Vector3(frame.p + frame.R * wrench.point));
  return dot(Vec3(wrench.force), motion.v + cross(motion.w, arm)) + dot(Vec3(wrench.moment), motion.w);
}

}  // namespace

EnergyAccount::EnergyAccount(const Model& model)
    : model_(model),
      ws_(model),
      last_(model),
      middle_(model),
      now_(model),
      way_(VectorX::Zero(model.nv())),
      rate_(way_),
      turned_(way_),
      drive_loads_(model),
      wrench_(at(model.body_count())),
      force_(way_) {
  if (!model.motions().empty()) dynamics_ = std::move(make_dynamics("auto", model)).value();
  drive_loads_.wrenches.reserve(kMaxWrenches);
}

void EnergyAccount::start(const State& state) noexcept {
  last_.q = state.q();
  last_.v = state.v();
  last_.time_s = state.time_s();
  has_loads_ = false;
  balance_ = {};
  balance_.since_s = state.time_s();
  const Energy all = energy_at(last_.q, last_.v, last_.time_s, balance_.elastic_J);
  start_kinetic_J_ = balance_.kinetic_J = all.kinetic_J;
  start_gravity_J_ = balance_.gravity_J = all.potential_J - balance_.elastic_J;
  start_elastic_J_ = balance_.elastic_J;
  last_losses_ = losses(last_);
}

/// Leaves the kinematics in the workspace.
Energy EnergyAccount::energy_at(const VectorX& q, const VectorX& v, double time_s, double& elastic_J) noexcept {
  update_kinematics(model_, q.data(), v.data(), time_s, ws_);
  elastic_J = spring_energy(model_, q.data(), ws_);
  return energy(model_, q.data(), v.data(), ws_);
}

/// Needs the kinematics of the moment in the workspace.
Dissipation EnergyAccount::losses(const Moment& moment) const noexcept {
  return dissipation(model_, moment.q.data(), moment.v.data(), ws_);
}

/// The same, where forces act on bodies.
EnergyAccount::Powers EnergyAccount::powers(const Moment& moment, const Loads& loads) noexcept {
  Powers found;
  found.actuators = moment.v.dot(moment.tau);
  for (const int i : model_.loaded_speeds()) {
    const CoordinateConstants& c = model_.coordinate(i);
    if (c.q < 0) found.outside += c.force * moment.v[i];  // it has no potential
  }
  for (const ExternalWrench& wrench : loads.wrenches) found.outside += wrench_W(model_, wrench, ws_);
  if (dynamics_) found.drives = drive_W(moment, loads);
  return found;
}

/// What the law of motion misses along the speeds is what drives and loop constraints add, and loop constraints do no
/// work but that of their own drives: v . C^T lambda = lambda . (C v), which is zero in all other rows.
double EnergyAccount::drive_W(const Moment& moment, const Loads& loads) noexcept {
  drive_loads_.tau = moment.tau;
  drive_loads_.wrenches = loads.wrenches;
  const StepStatus status =
      accelerations(model_, moment.q.data(), moment.v.data(), moment.time_s, drive_loads_, *dynamics_, ws_);
  if (status != StepStatus::kOk) return 0.0;
  joint_reactions(model_, ws_, {}, wrench_);
  generalized_forces(model_, ws_, wrench_, force_);
  return moment.v.dot(force_) - moment.v.dot(ws_.tau);
}

/// What was applied along the speeds, at all three moments.
void EnergyAccount::find_loads(const Loads& loads, const Integrator& integrator) noexcept {
  now_.tau = loads.tau;
  if (!integrator.takes_stiffness()) {
    last_.tau = loads.tau;
  } else {
    // Integrators that take it meet the loads at the end of each step.
    now_.tau -= loads.damping.cwiseProduct(now_.v - loads.damping_from);
    for (int i = 0; i < model_.nv(); ++i) {
      if (loads.stiffness[i] == 0.0) continue;
      now_.tau[i] -= loads.stiffness[i] * (now_.q[model_.coordinate(i).q] - loads.stiffness_from[i]);
    }
    if (!has_loads_) last_.tau = now_.tau;
  }
  has_loads_ = true;
  middle_.tau = 0.5 * (last_.tau + now_.tau);
}

void EnergyAccount::find_middle(double dt_s) noexcept {
  constexpr int kIterations = 4;  // each of them is closer by the angle of half a step
  configuration_difference(model_, last_.q.data(), now_.q.data(), way_.data());
  increment_rate(model_, way_.data(), now_.v.data(), rate_.data());
  turned_ = (1.5 / dt_s) * way_ - 0.25 * (last_.v + rate_);
  way_ = 0.5 * way_ + (0.125 * dt_s) * (last_.v - rate_);
  advance_configuration(model_, last_.q.data(), way_.data(), middle_.q.data());
  // The speeds whose increments change at these rates.
  middle_.v = turned_;
  if (model_.quaternion_bodies().empty()) return;
  for (int i = 0; i < kIterations; ++i) {
    increment_rate(model_, way_.data(), middle_.v.data(), rate_.data());
    middle_.v += turned_ - rate_;
  }
}

void EnergyAccount::add(const State& state, const Loads& loads, const Integrator& integrator) noexcept {
  now_.q = state.q();
  now_.v = state.v();
  now_.time_s = state.time_s();
  const double dt_s = now_.time_s - last_.time_s;
  find_loads(loads, integrator);
  double elastic_J = 0.0;
  if (model_.has_loops()) {
    const ConstraintProjection& loops = integrator.loops();
    balance_.projection_J -= energy_at(loops.unprojected_q(), loops.unprojected_v(), now_.time_s, elastic_J).total_J();
  }
  // Loads may have changed with this step: their powers at its start are not those at the end of the last one.
  if (!loads.wrenches.empty()) update_kinematics(model_, last_.q.data(), last_.v.data(), last_.time_s, ws_);
  const Powers first = powers(last_, loads);

  find_middle(dt_s);
  middle_.time_s = last_.time_s + 0.5 * dt_s;
  update_kinematics(model_, middle_.q.data(), middle_.v.data(), middle_.time_s, ws_);
  const Dissipation middle_losses = losses(middle_);
  const Powers middle = powers(middle_, loads);

  const Energy all = energy_at(now_.q, now_.v, now_.time_s, elastic_J);
  if (model_.has_loops()) balance_.projection_J += all.total_J();
  const Dissipation end_losses = losses(now_);
  const Powers end = powers(now_, loads);

  const auto integral_J = [&](double a, double m, double b) { return dt_s / 6.0 * (a + 4.0 * m + b); };
  for (const auto& [name, part] : kNamedLosses) {
    balance_.dissipated.*part += integral_J(last_losses_.*part, middle_losses.*part, end_losses.*part);
  }
  last_losses_ = end_losses;
  balance_.actuators_J += integral_J(first.actuators, middle.actuators, end.actuators);
  balance_.drives_J += integral_J(first.drives, middle.drives, end.drives);
  balance_.outside_J += integral_J(first.outside, middle.outside, end.outside);
  balance_.kinetic_J = all.kinetic_J;
  balance_.elastic_J = elastic_J;
  balance_.gravity_J = all.potential_J - elastic_J;
  close();
  std::swap(last_, now_);  // vectors change hands
}

void EnergyAccount::close() noexcept {
  EnergyBalance& b = balance_;
  const double kinetic_J = b.kinetic_J - start_kinetic_J_;
  const double gravity_J = b.gravity_J - start_gravity_J_;
  const double elastic_J = b.elastic_J - start_elastic_J_;
  b.rest_J = kinetic_J + gravity_J + elastic_J + b.dissipated.total() -
             (b.actuators_J + b.drives_J + b.outside_J + b.projection_J);
  for (const double part :
       {kinetic_J, gravity_J, elastic_J, b.dissipated.total(), b.actuators_J, b.drives_J, b.outside_J}) {
    b.exchanged_J = std::max(b.exchanged_J, std::abs(part));
  }
}

}  // namespace kinloop
