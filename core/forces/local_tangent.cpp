// Projects each element onto the columns of the one joint that moves it.
#include "core/forces/local_tangent.hpp"

#include <algorithm>
#include <array>

#include "core/base/at.hpp"
#include "core/forces/force_element.hpp"

namespace kinloop {

int body_between(const Model& model, int a, int b) noexcept {
  const int child = std::max(a, b);  // parents come first
  return a != b && model.body(child).parent == std::min(a, b) ? child : -1;
}

namespace {

class FarFinder final : public TangentSum {
 public:
  void add(const Model& model, const ElementTangent& element, const Workspace& /*ws*/) noexcept override {
    const bool is_far = body_between(model, element.body_a, element.body_b) < 0 || element.winch >= 0;
    if (is_far && element.acts() && !found) found = FarElement{element.body_a, element.body_b, is_one_sided};
  }
  void add_along(int /*speed*/, const JointTangent& /*tangent*/) noexcept override {}

  std::optional<FarElement> found;
  bool is_one_sided = false;
};

}  // namespace

std::optional<FarElement> far_element(const Model& model, const double* q, const double* v, const Workspace& ws) {
  FarFinder finder;
  for (const ForceElementKind* kind : force_element_kinds()) {
    const bool is_one_sided = kind->one_sided.add_full_tangents != nullptr;
    if (!is_one_sided) kind->add_tangents(model, q, v, ws, finder);
  }
  finder.is_one_sided = true;
  for (const ForceElementKind* kind : force_element_kinds()) {
    const auto add_full = kind->one_sided.add_full_tangents;
    if (add_full != nullptr) add_full(model, q, v, ws, finder);
  }
  return finder.found;
}

LocalTangent::LocalTangent(const Model& model)
    : stiffness_(VectorX::Zero(model.nv())),
      damping_(VectorX::Zero(model.nv())),
      block_of_(at(model.body_count()), -1) {
  for (int k = 1; k < model.body_count(); ++k) {
    if (model.body(k).nv < 2) continue;
    block_of_[k] = blocks_.count();
    JointBlock& block = blocks_.emplace_back();
    block.body = k;
    block.first = model.body(k).v;
    block.speeds = model.body(k).nv;
  }
}

bool LocalTangent::update(const Model& model, const double* q, const double* v, const Workspace& ws) noexcept {
  is_local_ = true;
  stiffness_.setZero();
  damping_.setZero();
  for (JointBlock& block : blocks_) {
    if (block.is_full) block.stiffness = block.damping = Matrix6::Zero();
    block.is_full = false;
  }
  for (const ForceElementKind* kind : force_element_kinds()) {
    kind->add_tangents(model, q, v, ws, *this);
    if (!is_local_) return false;
  }
  for (JointBlock& block : blocks_) {
    if (!block.is_full) continue;
    stiffness_.segment(block.first, block.speeds) += block.stiffness.diagonal().head(block.speeds);
    damping_.segment(block.first, block.speeds) += block.damping.diagonal().head(block.speeds);
  }
  return true;
}

void LocalTangent::add_along(int speed, const JointTangent& tangent) noexcept {
  stiffness_[speed] += tangent.stiffness;
  damping_[speed] += tangent.damping;
}

void LocalTangent::add(const Model& model, const ElementTangent& element, const Workspace& ws) noexcept {
  if (!is_local_ || !element.acts()) return;
  const int child = body_between(model, element.body_a, element.body_b);
  if (child < 0 || element.winch >= 0) {
    is_local_ = false;
    return;
  }
  const BodyConstants& body = model.body(child);
  const Vec3& arm = child == element.body_b ? element.arm_b : element.arm_a;
  if (body.nv == 0) return;
  std::array<Vector3, 6> turn, move;
  for (int i = 0; i < body.nv; ++i) {
    const auto s = at(body.v + i);
    turn[at(i)] = ws.Hw[s].eigen();
    move[at(i)] = (ws.Hv[s] + cross(ws.Hw[s], arm)).eigen();
  }
  if (body.nv == 1) {
    stiffness_[body.v] +=
        move[0].dot(element.stiffness * move[0]) + turn[0].dot(element.rotational_stiffness * turn[0]);
    damping_[body.v] += move[0].dot(element.damping * move[0]) + turn[0].dot(element.rotational_damping * turn[0]);
    return;
  }
  JointBlock& block = blocks_[block_of_[child]];
  block.is_full = true;
  for (int j = 0; j < body.nv; ++j) {
    const Vector3 force = element.stiffness * move[at(j)];
    const Vector3 drag = element.damping * move[at(j)];
    const Vector3 moment = element.rotational_stiffness * turn[at(j)];
    const Vector3 rotational_drag = element.rotational_damping * turn[at(j)];
    for (int i = 0; i < body.nv; ++i) {
      block.stiffness(i, j) += move[at(i)].dot(force) + turn[at(i)].dot(moment);
      block.damping(i, j) += move[at(i)].dot(drag) + turn[at(i)].dot(rotational_drag);
    }
  }
}

}  // namespace kinloop
