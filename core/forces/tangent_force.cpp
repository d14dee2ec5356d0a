// Carries both motions outward to the bodies, and the elements' forces inward to the speeds.
#include "core/forces/tangent_force.hpp"

#include <algorithm>

#include "core/base/at.hpp"
#include "core/forces/force_element.hpp"
#include "core/spatial/spatial_vector.hpp"

namespace kinloop {

TangentForce::TangentForce(const Model& model)
    : place_(at(model.body_count())), rate_(place_), force_(place_), value_(VectorX::Zero(model.nv())) {}

void TangentForce::update(const Model& model, const double* q, const double* v, const VectorX& x, const VectorX& y,
                          const Workspace& ws) noexcept {
  move_bodies(model, x, y, ws);
  for (const ForceElementKind* kind : force_element_kinds()) kind->add_tangents(model, q, v, ws, *this);
  collect_forces(model, ws);
}

void TangentForce::update_elements(const Model& model, const double* q, const double* v, const VectorX& x,
                                   const VectorX& y, const Workspace& ws) noexcept {
  ElementsOnly elements(*this);
  move_bodies(model, x, y, ws);
  for (const ForceElementKind* kind : force_element_kinds()) kind->add_tangents(model, q, v, ws, elements);
  collect_forces(model, ws);
}

void TangentForce::move_bodies(const Model& model, const VectorX& x, const VectorX& y, const Workspace& ws) noexcept {
  x_ = &x;
  y_ = &y;
  has_elements_ = false;
  value_.setZero();
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    SpatialVector& place = place_[at(k)];
    SpatialVector& rate = rate_[at(k)];
    place = shift_motion(place_[at(body.parent)], ws.motion[at(k)].r);
    rate = shift_motion(rate_[at(body.parent)], ws.motion[at(k)].r);
    for (int i = body.v; i < body.v + body.nv; ++i) {
      const SpatialVector column{ws.Hw[at(i)], ws.Hv[at(i)]};
      place = place + x[i] * column;
      rate = rate + y[i] * column;
    }
  }
}

void TangentForce::collect_forces(const Model& model, const Workspace& ws) noexcept {
  if (!has_elements_) return;
  for (int k = model.body_count() - 1; k > 0; --k) {
    const BodyConstants& body = model.body(k);
    for (int i = body.v; i < body.v + body.nv; ++i) {
      value_[i] += dot(SpatialVector{ws.Hw[at(i)], ws.Hv[at(i)]}, force_[at(k)]);
    }
    SpatialVector& parent = force_[at(body.parent)];
    parent = parent + shift_force(force_[at(k)], ws.motion[at(k)].r);
  }
}

void TangentForce::add(const Model& /*model*/, const ElementTangent& element, const Workspace& /*ws*/) noexcept {
  if (!element.acts()) return;
  if (!has_elements_) std::fill(force_.begin(), force_.end(), SpatialVector{});
  has_elements_ = true;
  const auto relative = [&](const std::vector<SpatialVector>& motion) {
    return shift_motion(motion[at(element.body_b)], element.arm_b) -
           shift_motion(motion[at(element.body_a)], element.arm_a);
  };
  SpatialVector place = relative(place_);
  SpatialVector rate = relative(rate_);
  if (element.winch >= 0) {
    place.linear += (*x_)[element.winch] * element.winch_line;
    rate.linear += (*y_)[element.winch] * element.winch_line;
  }
  const SpatialVector wrench{element.rotational_stiffness * place.angular + element.rotational_damping * rate.angular,
                             element.stiffness * place.linear + element.damping * rate.linear};
  SpatialVector& on_a = force_[at(element.body_a)];
  SpatialVector& on_b = force_[at(element.body_b)];
  on_b = on_b + shift_force(wrench, element.arm_b);
  on_a = on_a - shift_force(wrench, element.arm_a);
  if (element.winch >= 0) value_[element.winch] += dot(element.winch_line, wrench.linear);
}

void TangentForce::add_along(int speed, const JointTangent& tangent) noexcept {
  value_[speed] += tangent.stiffness * (*x_)[speed] + tangent.damping * (*y_)[speed];
}

}  // namespace kinloop
