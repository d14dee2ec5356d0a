// Sums J^T k J over the force elements.
#include "core/forces/force_tangent.hpp"

#include <algorithm>

#include "core/base/at.hpp"
#include "core/forces/force_element.hpp"

namespace kinloop {
namespace {

bool has_none(const Model& model) noexcept {
  const auto kinds = force_element_kinds();
  return std::all_of(kinds.begin(), kinds.end(), [&](const ForceElementKind* kind) { return kind->count(model) == 0; });
}

}  // namespace

ForceTangent::ForceTangent(const Model& model)
    : is_zero_(has_none(model)),
      K_(MatrixX::Zero(model.nv(), model.nv())),
      C_(MatrixX::Zero(model.nv(), model.nv())),
      along_K_(VectorX::Zero(model.nv())),
      along_C_(VectorX::Zero(model.nv())),
      speeds_(at(model.nv())),
      place_(at(model.nv()), -1),
      linear_(at(model.nv())),
      angular_(at(model.nv())) {}

void ForceTangent::update(const Model& model, const double* q, const double* v, const Workspace& ws) noexcept {
  if (is_zero_) return;
  K_.setZero();
  C_.setZero();
  along_K_.setZero();
  along_C_.setZero();
  for (const ForceElementKind* kind : force_element_kinds()) kind->add_tangents(model, q, v, ws, *this);
  K_.diagonal() += along_K_;
  C_.diagonal() += along_C_;
}

void ForceTangent::add_along(int speed, const JointTangent& tangent) noexcept {
  along_K_[speed] += tangent.stiffness;
  along_C_[speed] += tangent.damping;
}

void ForceTangent::add(const Model& model, const ElementTangent& element, const Workspace& ws) noexcept {
  count_ = 0;
  add_columns(model, element.body_b, element.arm_b, 1.0, ws);
  add_columns(model, element.body_a, element.arm_a, -1.0, ws);
  if (element.winch >= 0) linear_[column_of(element.winch)] += element.winch_line;
  for (int c = 0; c < count_; ++c) {
    const auto column = at(c);
    const int j = speeds_[column];
    const Vec3 force = element.stiffness * linear_[column];
    const Vec3 drag = element.damping * linear_[column];
    const Vec3 moment = element.rotational_stiffness * angular_[column];
    const Vec3 rotational_drag = element.rotational_damping * angular_[column];
    for (int r = 0; r < count_; ++r) {
      const auto row = at(r);
      const int i = speeds_[row];
      K_(i, j) += dot(linear_[row], force, angular_[row], moment);
      C_(i, j) += dot(linear_[row], drag, angular_[row], rotational_drag);
    }
  }
  for (int c = 0; c < count_; ++c) place_[at(speeds_[at(c)])] = -1;
}

/// The place of a speed in the lists, where it is put if it is new.
std::size_t ForceTangent::column_of(int speed) noexcept {
  int& place = place_[at(speed)];
  if (place < 0) {
    place = count_;
    speeds_[at(count_)] = speed;
    linear_[at(count_)] = Vec3();
    angular_[at(count_)] = Vec3();
    ++count_;
  }
  return at(place);
}

/// Motion of a point of the body, and of the body, by each speed from it to the ground. The arm grows by r on the way:
/// as accurate far from the origin as near it.
void ForceTangent::add_columns(const Model& model, int body, Vec3 arm, double sign, const Workspace& ws) noexcept {
  for (int k = body; k > 0; k = model.body(k).parent) {
    for (int i = model.body(k).v; i < model.body(k).v + model.body(k).nv; ++i) {
      const auto speed = at(i);
      const std::size_t column = column_of(i);
      linear_[column] += sign * (ws.Hv[speed] + cross(ws.Hw[speed], arm));
      angular_[column] += sign * ws.Hw[speed];
    }
    arm += ws.motion[at(k)].r;
  }
}

}  // namespace kinloop
