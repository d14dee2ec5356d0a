// Projects each element onto the one column that moves it.
#include "core/forces/local_tangent.hpp"

#include <algorithm>

#include "core/forces/bushing.hpp"
#include "core/forces/contact.hpp"
#include "core/forces/joint_forces.hpp"
#include "core/forces/point_spring.hpp"
#include "core/forces/rope.hpp"

namespace kinloop {
namespace {

/// The body whose inboard joint, of one speed, is all that lies between a and b; -1: there is more or less.
int body_between(const Model& model, int a, int b) noexcept {
  const int child = std::max(a, b);  // parents come first
  const bool are_neighbours = a != b && model.body(child).parent == std::min(a, b);
  return are_neighbours && model.body(child).nv == 1 ? child : -1;
}

}  // namespace

LocalTangent::LocalTangent(const Model& model)
    : stiffness_(VectorX::Zero(model.nv())), damping_(VectorX::Zero(model.nv())) {
  const auto reaches_further = [&](const auto& element) {
    return body_between(model, element.body_a, element.body_b) < 0;
  };
  const auto springs = model.springs();
  const auto bushings = model.bushings();
  is_local_ = std::none_of(springs.begin(), springs.end(), reaches_further) &&
              std::none_of(bushings.begin(), bushings.end(), reaches_further);
}

bool LocalTangent::update(const Model& model, const double* q, const double* v, const Workspace& ws) noexcept {
  if (!is_local_) return false;
  for (const ContactPoint& point : model.contact_points()) {
    if (touches(model, point, ws)) return false;
  }
  for (const Rope& rope : model.ropes()) {
    if (is_taut(rope, q, ws)) return false;
  }
  stiffness_.setZero();
  damping_.setZero();
  for (const int i : model.loaded_speeds()) {
    const CoordinateConstants& c = model.coordinate(i);
    const JointTangent tangent = joint_tangent(c, c.q >= 0 ? q[c.q] : 0.0, v[i]);
    stiffness_[i] += tangent.stiffness;
    damping_[i] += tangent.damping;
  }
  const auto add = [&](const ElementTangent& element) {
    const int child = body_between(model, element.body_a, element.body_b);
    const int speed = model.body(child).v;
    const auto s = static_cast<std::size_t>(speed);
    const Vec3& arm = child == element.body_b ? element.arm_b : element.arm_a;
    const Vector3 turn = ws.Hw[s].eigen();
    const Vector3 move = (ws.Hv[s] + cross(ws.Hw[s], arm)).eigen();
    stiffness_[speed] += move.dot(element.stiffness * move) + turn.dot(element.rotational_stiffness * turn);
    damping_[speed] += move.dot(element.damping * move) + turn.dot(element.rotational_damping * turn);
  };
  for (const PointSpring& spring : model.springs()) add(point_spring_tangent(spring, ws));
  for (const Bushing& bushing : model.bushings()) add(bushing_tangent(bushing, ws));
  return true;
}

}  // namespace kinloop
