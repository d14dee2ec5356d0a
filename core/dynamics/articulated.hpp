// Owns the articulated inertia of the recursions and the elimination of one speed from it: 004 (11), MATH 3.3.
#pragma once

#include "core/dynamics/workspace.hpp"

namespace kinloop {

/// Symmetric 6x6 [J L^T; L M] and a force: n = J al + L^T a - n0, f = L al + M a - f0.
struct Articulated {
  Mat3 J, L, M;
  Vec3 n, f;
};

/// What the outward sweep needs of one eliminated speed.
struct Elimination {
  Vec3 Un, Uf;
  double inverse_D = 0.0;
  double e = 0.0;
};

/// D below this share of its joint's inertia scale is rounding noise: the speed moves nothing.
constexpr double kSingular = 1e-14;

inline Articulated rigid(const BodyConstants& body, const BodyLoad& load) noexcept {
  const double x = load.mc.x();
  const double y = load.mc.y();
  const double z = load.mc.z();
  const double m = body.mass;
  return {load.J, Mat3(Vec3(0, -z, y), Vec3(z, 0, -x), Vec3(-y, x, 0)),  // -[mc]x
          Mat3(Vec3(m, 0, 0), Vec3(0, m, 0), Vec3(0, 0, m)), load.n, load.f};
}

inline Vec3 transposed_times(const Mat3& m, const Vec3& a) noexcept {
  return {dot(m.c[0], a), dot(m.c[1], a), dot(m.c[2], a)};
}

/// m - u s w^T, column by column.
inline void subtract_outer(Mat3& m, const Vec3& u, const Vec3& scaled) noexcept {
  m.c[0] -= u * scaled.x();
  m.c[1] -= u * scaled.y();
  m.c[2] -= u * scaled.z();
}

/// (11): eliminates one speed from the articulated inertia. Returns whether D is usable.
inline bool eliminate(Articulated& h, double e, double D, double scale, Elimination& out) noexcept {
  const double inverse_D = 1.0 / D;
  const Vec3 sn = inverse_D * out.Un;
  const Vec3 sf = inverse_D * out.Uf;
  subtract_outer(h.J, out.Un, sn);
  subtract_outer(h.L, out.Uf, sn);
  subtract_outer(h.M, out.Uf, sf);
  h.n -= e * sn;
  h.f -= e * sf;
  out.inverse_D = inverse_D;
  out.e = e;
  return D > kSingular * scale;
}

inline bool eliminate_revolute(Articulated& h, const Vec3& z, double tau, double armature, Elimination& out) noexcept {
  out.Un = h.J * z;
  out.Uf = h.L * z;
  return eliminate(h, tau + dot(z, h.n), armature + dot(z, out.Un), h.J(0, 0) + h.J(1, 1) + h.J(2, 2), out);
}

inline bool eliminate_general(Articulated& h, const Vec3& Hw, const Vec3& Hv, double tau, double armature,
                              Elimination& out) noexcept {
  out.Un = h.J * Hw + transposed_times(h.L, Hv);
  out.Uf = h.L * Hw + h.M * Hv;
  const double e = tau + dot(Hw, h.n) + dot(Hv, h.f);
  const double D = armature + dot(Hw, out.Un) + dot(Hv, out.Uf);
  const double scale =
      dot(Hw, Hw) * (h.J(0, 0) + h.J(1, 1) + h.J(2, 2)) + dot(Hv, Hv) * (h.M(0, 0) + h.M(1, 1) + h.M(2, 2));
  return eliminate(h, e, D, scale, out);
}

/// B^T h B with B = X(r): L' = L - M [r]x, J' = J + S + S^T with S = [r]x (L - M [r]x / 2).
inline void add_shifted(const Articulated& h, const Vec3& r, Articulated& parent) noexcept {
  const Mat3 N = times_skew(h.M, r);
  const Mat3 half(h.L.c[0] - 0.5 * N.c[0], h.L.c[1] - 0.5 * N.c[1], h.L.c[2] - 0.5 * N.c[2]);
  const Mat3 S(cross(r, half.c[0]), cross(r, half.c[1]), cross(r, half.c[2]));
  const Mat3 St = transposed(S);
  for (std::size_t i = 0; i < 3; ++i) {
    parent.J.c[i] += h.J.c[i] + (S.c[i] + St.c[i]);
    parent.L.c[i] += h.L.c[i] - N.c[i];
    parent.M.c[i] += h.M.c[i];
  }
  parent.n += h.n + cross(r, h.f);
  parent.f += h.f;
}

}  // namespace kinloop
