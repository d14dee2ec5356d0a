// Kinematics for every picture; forces only for those who want to see them.
#include "services/gateway/view_maker.hpp"

#include <algorithm>

#include "core/forces/contact.hpp"
#include "core/forces/point_spring.hpp"
#include "core/forces/rope.hpp"
#include "core/joints/joint.hpp"
#include "core/kinematics/body_output.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/plant/coordinate_names.hpp"
#include "services/gateway/scene.hpp"

namespace kinloop::gateway {
namespace {

enum class Acts { kAlong, kAbout };

void add_arrow(v1::Arrow::Kind kind, std::size_t of, const Vector3& point, const Vector3& what, v1::View& view,
               Acts acts = Acts::kAlong) {
  if (!what.allFinite() || what.squaredNorm() == 0.0) return;
  v1::Arrow& arrow = *view.add_arrows();
  arrow.set_kind(kind);
  arrow.set_of(static_cast<std::uint32_t>(of));
  add(point, *arrow.mutable_point());
  add(what, acts == Acts::kAlong ? *arrow.mutable_force() : *arrow.mutable_moment());
}

}  // namespace

ViewMaker::ViewMaker(const LoadedRig& rig)
    : rig_(rig),
      model_(rig.model.model),
      ws_(model_),
      loads_(model_),
      reactions_(model_),
      q_(VectorX::Zero(model_.nq())),
      v_(VectorX::Zero(model_.nv())) {
  if (auto dynamics = make_dynamics(rig.spec.plant.levels.front().dynamics, model_)) {
    dynamics_ = std::move(dynamics).value();
  }
  for (const ActuatorSpec& actuator : rig.spec.plant.actuators) {
    const Result<int> speed = find_speed(model_, actuator.joint);
    speeds_.push_back(speed ? *speed : -1);
  }
}

bool ViewMaker::make(const v1::Motion& motion, v1::View& view) {
  if (motion.q_size() != q_.size() || motion.u_size() != v_.size()) return false;
  std::copy(motion.q().begin(), motion.q().end(), q_.data());
  std::copy(motion.u().begin(), motion.u().end(), v_.data());
  if (!q_.allFinite() || !v_.allFinite()) return false;
  update_kinematics(model_, q_.data(), v_.data(), motion.time_s(), ws_);
  view.set_step(motion.step());
  view.set_time_s(motion.time_s());
  view.set_flags(motion.flags());
  view.set_command_age_ticks(motion.command_age_ticks());
  for (int k = 1; k < model_.body_count(); ++k) {
    const BodyOutput body = body_output(model_, ws_, k);
    add(body.R, body.p, *view.mutable_poses());
  }
  add_lines(view);
  *view.mutable_q() = motion.q();
  *view.mutable_u() = motion.u();
  *view.mutable_commands() = motion.commands();
  view.set_safe(motion.safe());
  view.set_stopped(motion.stopped());
  for (const std::int64_t ticks : motion.age_ticks()) {
    view.add_command_ages_s(static_cast<float>(static_cast<double>(ticks) * rig_.spec.plant.dt_s));
  }
  return true;
}

void ViewMaker::add_arrows(const v1::Motion& motion, v1::View& view) {
  add_actuators(motion, view);
  add_contacts(view);
  if (!dynamics_) return;
  loads_.tau.setZero();
  for (std::size_t i = 0; i < speeds_.size() && i < static_cast<std::size_t>(motion.forces_size()); ++i) {
    if (speeds_[i] >= 0) loads_.tau[speeds_[i]] += motion.forces(static_cast<int>(i));
  }
  const StepStatus status = accelerations(model_, q_.data(), v_.data(), motion.time_s(), loads_, *dynamics_, ws_);
  if (status == StepStatus::kOk) add_reactions(view);
}

/// Forces along slides, torques about axes. A joint whose coordinates do both at once (screws, cams) has no arrow.
void ViewMaker::add_actuators(const v1::Motion& motion, v1::View& view) const {
  for (std::size_t i = 0; i < speeds_.size() && i < static_cast<std::size_t>(motion.forces_size()); ++i) {
    if (speeds_[i] < 0) continue;
    const auto at = static_cast<std::size_t>(speeds_[i]);
    const int body = model_.coordinate(speeds_[i]).body;
    const Vector3 point = ws_.motion[static_cast<std::size_t>(body)].x.eigen();
    const double force = motion.forces(static_cast<int>(i));
    const JointType joint = model_.body(body).joint;
    if (!joint_kind(joint).orthonormal) continue;
    if (speed_kinds(joint)[at - static_cast<std::size_t>(model_.body(body).v)] == SpeedKind::kLength) {
      add_arrow(v1::Arrow::KIND_ACTUATOR, i, point, ws_.Hv[at].eigen() * force, view);
    } else {
      add_arrow(v1::Arrow::KIND_ACTUATOR, i, point, ws_.Hw[at].eigen() * force, view, Acts::kAbout);
    }
  }
}

/// One arrow a contact that touches, where its deepest point is.
void ViewMaker::add_contacts(v1::View& view) const {
  std::vector<Touch> deepest(model_.spec().contacts.size());
  for (const ContactPoint& point : model_.contact_points()) {
    const Touch touch = touch_of(model_, point, ws_);
    Touch& so_far = deepest[static_cast<std::size_t>(point.contact)];
    if (touch.depth_m > so_far.depth_m) so_far = touch;
  }
  for (std::size_t i = 0; i < deepest.size(); ++i) {
    const Vector3 force = contact_force(model_, static_cast<int>(i), ws_);
    add_arrow(v1::Arrow::KIND_CONTACT, i, deepest[i].point, force, view);
  }
}

/// Springs, then ropes, as the scene has them.
void ViewMaker::add_lines(v1::View& view) const {
  for (const PointSpring& spring : model_.springs()) {
    view.add_tensions(static_cast<float>(point_spring_tension(spring, ws_)));
    view.add_rest_lengths(static_cast<float>(spring.rest_length));
  }
  for (const Rope& rope : model_.ropes()) {
    const RopeState state = rope_state(rope, q_.data(), v_.data(), ws_);
    view.add_tensions(static_cast<float>(state.tension_N));
    view.add_rest_lengths(static_cast<float>(state.rest_length_m));
  }
}

/// Where a component is not determined, an arrow would show an arbitrary one.
void ViewMaker::add_reactions(v1::View& view) {
  if (!reactions_.update(model_, ws_)) return;
  const auto is_determined = [](const Reaction& reaction) {
    return reaction.unique[0] && reaction.unique[1] && reaction.unique[2];
  };
  const auto show = [&](std::size_t of, const Reaction& reaction, const Vector3& point) {
    if (is_determined(reaction)) {
      add_arrow(v1::Arrow::KIND_REACTION, of, point, reaction.wrench.linear.eigen(), view);
    }
  };
  const auto bodies = static_cast<std::size_t>(model_.body_count());
  for (std::size_t k = 1; k < bodies; ++k) {
    show(k - 1, reactions_.joint(static_cast<int>(k)), ws_.motion[k].x.eigen());
  }
  for (std::size_t i = 0; i < model_.loops().size(); ++i) {
    const LoopJoint& loop = model_.loops()[i];
    const BodyMotion& successor = ws_.motion[static_cast<std::size_t>(loop.successor)];
    show(bodies - 1 + i, reactions_.loop(static_cast<int>(i)), (successor.x + successor.R * loop.p_SB).eigen());
  }
}

}  // namespace kinloop::gateway
