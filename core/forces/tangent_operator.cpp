// Carries motions outward to the bodies, and the elements' forces inward to the speeds.
#include "core/forces/tangent_operator.hpp"

#include "core/base/at.hpp"

namespace kinloop {

TangentOperator::TangentOperator(const Model& model)
    : along_K_(VectorX::Zero(model.nv())), along_C_(VectorX::Zero(model.nv())) {}

void TangentOperator::add(const Model& /*model*/, const ElementTangent& element, const Workspace& /*ws*/) noexcept {
  if (element.acts()) elements_.push_back(element);
}

void TangentOperator::add_along(int speed, const JointTangent& tangent) noexcept {
  along_K_[speed] += tangent.stiffness;
  along_C_[speed] += tangent.damping;
}

VectorX TangentOperator::times(Part part, const Model& model, const Workspace& ws, const VectorX& x) const {
  const bool is_damping = part == Part::kDamping;
  std::vector<SpatialVector> motion(at(model.body_count())), force(motion.size());
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    SpatialVector& own = motion[at(k)];
    own = shift_motion(motion[at(body.parent)], ws.motion[at(k)].r);
    for (int i = body.v; i < body.v + body.nv; ++i) own = own + x[i] * SpatialVector{ws.Hw[at(i)], ws.Hv[at(i)]};
  }
  VectorX result = (is_damping ? along_C_ : along_K_).cwiseProduct(x);
  for (const ElementTangent& element : elements_) {
    const SpatialVector a = shift_motion(motion[at(element.body_a)], element.arm_a);
    const SpatialVector b = shift_motion(motion[at(element.body_b)], element.arm_b);
    Vec3 move = b.linear - a.linear;
    if (element.winch >= 0) move += x[element.winch] * element.winch_line;
    const Vec3 f = (is_damping ? element.damping : element.stiffness) * move;
    const Vec3 n = (is_damping ? element.rotational_damping : element.rotational_stiffness) * (b.angular - a.angular);
    SpatialVector& on_a = force[at(element.body_a)];
    SpatialVector& on_b = force[at(element.body_b)];
    on_b = on_b + shift_force({n, f}, element.arm_b);
    on_a = on_a - shift_force({n, f}, element.arm_a);
    if (element.winch >= 0) result[element.winch] += dot(element.winch_line, f);
  }
  for (int k = model.body_count() - 1; k > 0; --k) {
    const BodyConstants& body = model.body(k);
    for (int i = body.v; i < body.v + body.nv; ++i) {
      result[i] += dot(SpatialVector{ws.Hw[at(i)], ws.Hv[at(i)]}, force[at(k)]);
    }
    SpatialVector& parent = force[at(body.parent)];
    parent = parent + shift_force(force[at(k)], ws.motion[at(k)].r);
  }
  return result;
}

}  // namespace kinloop
