// Projects each element onto the columns of the one joint that moves it.
#include "core/forces/local_tangent.hpp"

#include <algorithm>
#include <array>

#include "core/base/at.hpp"
#include "core/forces/force_element.hpp"
#include "core/spatial/spatial_vector.hpp"

namespace kinloop {

int body_between(const Model& model, int a, int b) noexcept {
  const int child = std::max(a, b);  // parents come first
  return a != b && model.body(child).parent == std::min(a, b) ? child : -1;
}

namespace {

/// a + g b.
Mat3 weighted(const Mat3& a, double g, const Mat3& b) noexcept {
  return {fused(g, b.c[0], a.c[0]), fused(g, b.c[1], a.c[1]), fused(g, b.c[2], a.c[2])};
}

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
    : inertia_(VectorX::Zero(model.nv())), force_(VectorX::Zero(model.nv())), block_of_(at(model.body_count()), -1) {
  for (int k = 1; k < model.body_count(); ++k) {
    if (model.body(k).nv < 2) continue;
    block_of_[k] = blocks_.count();
    JointBlock& block = blocks_.emplace_back();
    block.body = k;
    block.first = model.body(k).v;
    block.speeds = model.body(k).nv;
  }
}

bool LocalTangent::update(const Model& model, const double* q, const double* v, const ImplicitWeights& weights,
                          const Workspace& ws) noexcept {
  is_local_ = true;
  weights_ = &weights;
  inertia_.setZero();
  force_.setZero();
  for (JointBlock& block : blocks_) {
    if (block.is_full) block.inertia.setZero();
    block.is_full = false;
  }
  for (const ForceElementKind* kind : force_element_kinds()) {
    kind->add_tangents(model, q, v, ws, *this);
    if (!is_local_) break;
  }
  weights_ = nullptr;
  if (!is_local_) return false;
  for (const JointBlock& block : blocks_) {
    if (!block.is_full) continue;
    for (int i = 0; i < block.speeds; ++i) inertia_[block.first + i] += block.inertia(i, i);
  }
  return true;
}

void LocalTangent::add_along(int speed, const JointTangent& tangent) noexcept {
  const ImplicitWeights& weights = *weights_;
  const double along = tangent.damping + weights.g_s * tangent.stiffness;
  inertia_[speed] += weights.g_s * along;
  force_[speed] += tangent.stiffness * weights.r_q[speed] + along * weights.r_v[speed];
}

void LocalTangent::add(const Model& model, const ElementTangent& element, const Workspace& ws) noexcept {
  if (!is_local_ || !element.acts()) return;
  const int child = body_between(model, element.body_a, element.body_b);
  if (child < 0 || element.winch >= 0) {
    is_local_ = false;
    return;
  }
  const BodyConstants& body = model.body(child);
  if (body.nv == 0) return;
  const Vec3& arm = child == element.body_b ? element.arm_b : element.arm_a;

  JointBlock* block = body.nv > 1 ? &blocks_[block_of_[child]] : nullptr;
  switch (body.nv) {
    case 1:
      return add_along_columns<1>(element, body.v, arm, ws, block);
    case 2:
      return add_along_columns<2>(element, body.v, arm, ws, block);
    case 3:
      return add_along_columns<3>(element, body.v, arm, ws, block);
    case 4:
      return add_along_columns<4>(element, body.v, arm, ws, block);
    case 5:
      return add_along_columns<5>(element, body.v, arm, ws, block);
    default:
      return add_along_columns<6>(element, body.v, arm, ws, block);
  }
}

template <int N>
void LocalTangent::add_along_columns(const ElementTangent& element, int first, const Vec3& arm, const Workspace& ws,
                                     JointBlock* block) noexcept {
  // How each speed moves the element, and how far r_q and r_v do.
  const double g_s = weights_->g_s;
  const double* const r_q = weights_->r_q.data() + first;
  const double* const r_v = weights_->r_v.data() + first;
  std::array<Vec3, N> turn, move;
  SpatialVector place, rate;
  for (int i = 0; i < N; ++i) {
    const auto s = at(first + i);
    turn[at(i)] = ws.Hw[s];
    move[at(i)] = ws.Hv[s] + cross(ws.Hw[s], arm);
    place = {fused(r_q[i], turn[at(i)], place.angular), fused(r_q[i], move[at(i)], place.linear)};
    rate = {fused(r_v[i], turn[at(i)], rate.angular), fused(r_v[i], move[at(i)], rate.linear)};
  }
  const Mat3 along = weighted(element.damping, g_s, element.stiffness);  // C + g K
  const Mat3 about = weighted(element.rotational_damping, g_s, element.rotational_stiffness);
  const Vec3 force = element.stiffness * place.linear + along * rate.linear;
  const Vec3 moment = element.rotational_stiffness * place.angular + about * rate.angular;
  for (int i = 0; i < N; ++i) force_[first + i] += dot(move[at(i)], force, turn[at(i)], moment);
  if constexpr (N == 1) {
    inertia_[first] += g_s * dot(move[0], along * move[0], turn[0], about * turn[0]);
  } else {
    block->is_full = true;
    double* const B = block->inertia.data();
    constexpr int kColumn = JointMatrix::RowsAtCompileTime;
    for (int j = 0; j < N; ++j) {
      const Vec3 force_j = g_s * (along * move[at(j)]);
      const Vec3 moment_j = g_s * (about * turn[at(j)]);
      for (int i = j; i < N; ++i) B[j * kColumn + i] += dot(move[at(i)], force_j, turn[at(i)], moment_j);
      for (int i = j + 1; i < N; ++i) B[i * kColumn + j] = B[j * kColumn + i];
    }
  }
}

}  // namespace kinloop
