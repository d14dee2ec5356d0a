// Owns the articulated inertia of the recursions: its sums, shifts and the elimination of one speed, 004 (11), (12).
#pragma once

#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// Symmetric 6x6 [J L^T; L M].
struct SpatialInertia {
  Mat3 J, L, M;
};

/// With a force: n = J al + L^T a - n0, f = L al + M a - f0.
struct ArticulatedInertia : SpatialInertia {
  Vec3 n, f;
};

/// What an outward sweep needs of one eliminated speed; the formulation says at which point U stands.
struct Elimination {
  Vec3 Un, Uf;
  double inverse_D = 0.0;
  double e = 0.0;
};

/// D below this share of its joint's inertia scale is rounding noise: the speed moves nothing.
constexpr double kSingular = 1e-14;

inline SpatialInertia rigid_inertia(double m, const BodyLoad& load) noexcept {
  return {load.J, skew(-load.mc), diagonal3(m)};
}

inline ArticulatedInertia rigid(double m, const BodyLoad& load) noexcept {
  return {rigid_inertia(m, load), load.n, load.f};
}

inline void add(SpatialInertia& sum, const SpatialInertia& h) noexcept {
  for (std::size_t i = 0; i < 3; ++i) {
    sum.J.c[i] += h.J.c[i];
    sum.L.c[i] += h.L.c[i];
    sum.M.c[i] += h.M.c[i];
  }
}

inline void add(ArticulatedInertia& sum, const ArticulatedInertia& h) noexcept {
  add(static_cast<SpatialInertia&>(sum), static_cast<const SpatialInertia&>(h));
  sum.n += h.n;
  sum.f += h.f;
}

inline Vec3 transposed_times(const Mat3& m, const Vec3& a) noexcept {
  return {dot(m.c[0], a), dot(m.c[1], a), dot(m.c[2], a)};
}

inline double trace(const Mat3& m) noexcept { return m(0, 0) + m(1, 1) + m(2, 2); }

/// m - u w^T.
inline void subtract_outer(Mat3& m, const Vec3& u, const Vec3& w) noexcept {
  m.c[0] = fused_from(w.x(), u, m.c[0]);
  m.c[1] = fused_from(w.y(), u, m.c[1]);
  m.c[2] = fused_from(w.z(), u, m.c[2]);
}

/// (11): h - U D^-1 U^T; (12): the force that goes with it.
inline void eliminate(ArticulatedInertia& h, const Vec3& Un, const Vec3& Uf, double inverse_D, double e) noexcept {
  const Vec3 sn = inverse_D * Un;
  const Vec3 sf = inverse_D * Uf;
  subtract_outer(h.J, Un, sn);
  subtract_outer(h.L, Uf, sn);
  subtract_outer(h.M, Uf, sf);
  h.n = fused_from(e, sn, h.n);
  h.f = fused_from(e, sf, h.f);
}

/// B^T h B with B = X(r): L' = L - M [r]x, J' = J + S + S^T with S = [r]x (L - M [r]x / 2).
inline SpatialInertia shifted(const SpatialInertia& h, const Vec3& r) noexcept {
  const Mat3 N = times_skew(h.M, r);
  const Mat3 S(cross(r, fused_from(0.5, N.c[0], h.L.c[0])), cross(r, fused_from(0.5, N.c[1], h.L.c[1])),
               cross(r, fused_from(0.5, N.c[2], h.L.c[2])));
  return {h.J + (S + transposed(S)), h.L - N, h.M};
}

inline ArticulatedInertia shifted(const ArticulatedInertia& h, const Vec3& r) noexcept {
  return {shifted(static_cast<const SpatialInertia&>(h), r), h.n + cross(r, h.f), h.f};
}

}  // namespace kinloop
