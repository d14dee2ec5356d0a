// Evaluates a closing joint: fit its coordinates, measure what remains, span the directions it blocks.
#include "core/loops/closure.hpp"

#include <cmath>

namespace kinloop {
namespace {

/// Below this share of a unit direction nothing but rounding is left of it.
constexpr double kDependent = 1e-10;

/// A relative twist [w; v / L].
struct Scaled {
  Vec3 w, v;
};

double product(const Scaled& a, const Scaled& b) noexcept { return dot(a.w, b.w) + dot(a.v, b.v); }

/// Up to six orthonormal directions, first those of H, then those of its complement.
class Basis {
 public:
  int size() const noexcept { return size_; }
  const Scaled& operator[](int i) const noexcept { return directions_[static_cast<std::size_t>(i)]; }

  /// What is left of `a` outside of the directions so far; taken out twice, since once leaves rounding behind.
  Scaled remainder(Scaled a) const noexcept {
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < size_; ++i) {
        const Scaled& b = (*this)[i];
        const double share = product(a, b);
        a.w -= share * b.w;
        a.v -= share * b.v;
      }
    }
    return a;
  }

  /// Adds the direction of a remainder unless it is nothing against `scale`.
  void add(const Scaled& remainder, double scale) noexcept {
    const double norm = std::sqrt(product(remainder, remainder));
    if (size_ == 6 || !(norm > kDependent * scale)) return;
    directions_[static_cast<std::size_t>(size_++)] = {(1.0 / norm) * remainder.w, (1.0 / norm) * remainder.v};
  }

 private:
  std::array<Scaled, 6> directions_;
  int size_ = 0;
};

/// Of the six axes the one that lies most outside of the basis: adding it keeps the basis well conditioned.
Scaled most_outside(const Basis& basis) noexcept {
  Scaled best;
  double best_norm2 = -1.0;
  const Mat3 axes = identity3();
  for (std::size_t i = 0; i < 6; ++i) {
    const Scaled axis = i < 3 ? Scaled{axes.c[i], Vec3()} : Scaled{Vec3(), axes.c[i - 3]};
    const Scaled left = basis.remainder(axis);
    const double norm2 = product(left, left);
    // The margin keeps the choice from flipping between axes that are equal but for rounding.
    if (norm2 > best_norm2 + 1e-6) {
      best = left;
      best_norm2 = norm2;
    }
  }
  return best;
}

Vec3 rotation_vector(const Mat3& R) noexcept {
  std::array<double, 4> quaternion{};
  quaternion_from_rotation(R, quaternion.data());
  const Vec3 axis(quaternion[1], quaternion[2], quaternion[3]);
  const double sine = std::sqrt(dot(axis, axis));
  if (sine < 1e-9) return 2.0 * axis;
  return (2.0 * std::atan2(sine, quaternion[0]) / sine) * axis;
}

void span_rows(const JointMotion& joint, int freedoms, const Mat3& R_A, double length_m, Closure& out) noexcept {
  Basis basis;
  for (int i = 0; i < freedoms; ++i) {
    const auto c = static_cast<std::size_t>(i);
    const Scaled column{joint.Hw[c], (1.0 / length_m) * joint.Hv[c]};
    basis.add(basis.remainder(column), std::sqrt(product(column, column)));
  }
  // A cam at its centre has dependent columns; then the first directions outside of them are left free as well.
  const int missing = freedoms - basis.size();
  for (int i = 0; i < missing; ++i) basis.add(most_outside(basis), 1.0);
  for (int i = 0; i < out.rows; ++i) {
    const int before = basis.size();
    basis.add(most_outside(basis), 1.0);
    const Scaled row = basis.size() > before ? basis[before] : Scaled{};  // nothing is outside of numbers not finite
    const auto r = static_cast<std::size_t>(i);
    out.Gw[r] = R_A * row.w;
    out.Gv[r] = (1.0 / length_m) * (R_A * row.v);
    out.g[r] = dot(out.Gw[r], out.rotation_error) + dot(out.Gv[r], out.position_error);
  }
}

}  // namespace

double characteristic_length(const Model& model) {
  double sum = 0.0;
  int count = 0;
  const auto add = [&](const Vector3& distance) {
    const double length = distance.norm();
    if (!(length > 0.0)) return;
    sum += length;
    ++count;
  };
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    if (body.parent > 0) add(body.p_PA.eigen());
    if (body.mass > 0.0) add(body.first_moment.eigen() / body.mass);
  }
  for (const LoopJoint& loop : model.loops()) {
    if (loop.predecessor > 0) add(loop.X_PA.p);
    if (loop.successor > 0) add(loop.X_SB.p);
  }
  return count > 0 ? sum / count : 1.0;
}

Vec3 between_bodies(const Model& model, const Workspace& ws, int a, int b) noexcept {
  Vec3 distance;
  // Parents have smaller numbers: the larger of two different bodies is never an ancestor of the other.
  while (a != b) {
    if (b > a) {
      distance += ws.motion[static_cast<std::size_t>(b)].r;
      b = model.body(b).parent;
    } else {
      distance -= ws.motion[static_cast<std::size_t>(a)].r;
      a = model.body(a).parent;
    }
  }
  return distance;
}

void evaluate_closure(const Model& model, const LoopJoint& loop, double length_m, const Workspace& ws,
                      Closure& out) noexcept {
  const BodyMotion& pred = ws.motion[static_cast<std::size_t>(loop.predecessor)];
  const BodyMotion& succ = ws.motion[static_cast<std::size_t>(loop.successor)];
  const JointKind& kind = joint_kind(loop.type);
  const Mat3 R_A = pred.R * Mat3(loop.X_PA.R);
  const Mat3 R_B = succ.R * Mat3(loop.X_SB.R);
  const Vec3 arm_A = pred.R * Vec3(loop.X_PA.p);
  out.rows = 6 - kind.nv;
  out.arm_succ = succ.R * Vec3(loop.X_SB.p);
  out.arm_pred = between_bodies(model, ws, loop.predecessor, loop.successor) + out.arm_succ;

  const Mat3 R_AW = transposed(R_A);
  const Mat3 R_AB = R_AW * R_B;
  const Vec3 p_AB = R_AW * (out.arm_pred - arm_A);
  const std::array<double, 6> at_rest{};
  JointMotion joint;
  kind.fit(loop.parameters, R_AB, p_AB, out.q.data());
  kind.evaluate(loop.parameters, out.q.data(), at_rest.data(), joint);
  out.rotation_error = R_A * rotation_vector(R_AB * transposed(joint.R));
  out.position_error = R_A * (p_AB - joint.p);
  span_rows(joint, kind.nv, R_A, length_m, out);
}

}  // namespace kinloop
