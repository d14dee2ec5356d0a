// Completes the motion columns to an orthonormal basis: what is added is what the joint blocks.
#include "core/joints/directions.hpp"

#include <cmath>

namespace kinloop {
namespace {

/// Below this share of a unit direction nothing but rounding is left of it.
constexpr double kDependent = 1e-10;

/// Up to six orthonormal directions [w; v / L], first those of H, then those of its complement.
class Basis {
 public:
  int size() const noexcept { return size_; }
  const Pair& operator[](int i) const noexcept { return directions_[static_cast<std::size_t>(i)]; }

  /// What is left of `a` outside of the directions so far; taken out twice, since once leaves rounding behind.
  Pair remainder(Pair a) const noexcept {
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < size_; ++i) a = a - dot(a, (*this)[i]) * (*this)[i];
    }
    return a;
  }

  /// Adds the direction of a remainder unless it is nothing against `scale`.
  void add(const Pair& remainder, double scale) noexcept {
    const double norm = std::sqrt(dot(remainder, remainder));
    if (size_ == 6 || !(norm > kDependent * scale)) return;
    directions_[static_cast<std::size_t>(size_++)] = (1.0 / norm) * remainder;
  }

 private:
  std::array<Pair, 6> directions_;
  int size_ = 0;
};

/// Of the six axes the one that lies most outside of the basis: adding it keeps the basis well conditioned.
Pair most_outside(const Basis& basis) noexcept {
  Pair best;
  double best_norm2 = -1.0;
  const Mat3 axes = identity3();
  for (std::size_t i = 0; i < 6; ++i) {
    const Pair axis = i < 3 ? Pair{axes.c[i], Vec3()} : Pair{Vec3(), axes.c[i - 3]};
    const Pair left = basis.remainder(axis);
    const double norm2 = dot(left, left);
    // The margin keeps the choice from flipping between axes that are equal but for rounding.
    if (norm2 > best_norm2 + 1e-6) {
      best = left;
      best_norm2 = norm2;
    }
  }
  return best;
}

}  // namespace

JointDirections joint_directions(const JointMotion& joint, int freedoms, double length_m) noexcept {
  JointDirections result;
  result.freedoms = freedoms;
  result.rows = 6 - freedoms;
  Basis basis;
  for (int i = 0; i < freedoms; ++i) {
    const auto c = static_cast<std::size_t>(i);
    result.H[c] = {joint.Hw[c], joint.Hv[c]};
    const Pair column{joint.Hw[c], (1.0 / length_m) * joint.Hv[c]};
    basis.add(basis.remainder(column), std::sqrt(dot(column, column)));
  }
  // A cam at its centre has dependent columns; then the first directions outside of them are left free as well.
  const int missing = freedoms - basis.size();
  for (int i = 0; i < missing; ++i) basis.add(most_outside(basis), 1.0);
  for (int i = 0; i < result.rows; ++i) {
    const int before = basis.size();
    basis.add(most_outside(basis), 1.0);
    const Pair row = basis.size() > before ? basis[before] : Pair{};  // nothing is outside of numbers not finite
    result.G[static_cast<std::size_t>(i)] = {row.angular, (1.0 / length_m) * row.linear};
  }
  return result;
}

JointDirections directions_at_rest(const JointKind& kind, const JointParameters& parameters, double length_m) noexcept {
  std::array<double, 7> q{};
  const std::array<double, 6> v{};
  if (kind.quaternion >= 0) q[static_cast<std::size_t>(kind.quaternion)] = 1.0;
  JointMotion motion;
  kind.evaluate(parameters, q.data(), v.data(), motion);
  return joint_directions(motion, kind.nv, length_m);
}

bool has_constant_directions(JointType type) noexcept {
  return type != JointType::kUniversal && type != JointType::kCam && type != JointType::kScrew;
}

}  // namespace kinloop
