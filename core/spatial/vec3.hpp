// Owns Vec3 and Mat3, the 3-vectors and 3x3 matrices of the sweeps, four lanes wide so that one instruction moves a
// vector.
//
// The fourth lane is padding: it may hold anything finite, never reaches a result, and is kept at zero by construction
// so that dot products may sum all lanes. The vector extension of gcc and clang is used because both compile it to the
// widest instructions the target has, and to plain SSE2 where there is nothing better.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>

namespace kinloop {

// NOLINTNEXTLINE(modernize-use-using): the attribute does not bind to an alias in gcc 12
typedef double Lanes4 __attribute__((vector_size(32)));

// Products and sums joined in one rounding, where the target has such instructions. Nowhere else are the two joined
// (-ffp-contract=off), so that a result does not depend on what the compiler saw together.
#ifdef __FMA__
/// a * b + c.
inline Lanes4 fused(Lanes4 a, Lanes4 b, Lanes4 c) noexcept { return _mm256_fmadd_pd(a, b, c); }
/// a * b - c.
inline Lanes4 fused_less(Lanes4 a, Lanes4 b, Lanes4 c) noexcept { return _mm256_fmsub_pd(a, b, c); }
/// c - a * b.
inline Lanes4 fused_from(Lanes4 a, Lanes4 b, Lanes4 c) noexcept { return _mm256_fnmadd_pd(a, b, c); }
#else
inline Lanes4 fused(Lanes4 a, Lanes4 b, Lanes4 c) noexcept { return a * b + c; }
inline Lanes4 fused_less(Lanes4 a, Lanes4 b, Lanes4 c) noexcept { return a * b - c; }
inline Lanes4 fused_from(Lanes4 a, Lanes4 b, Lanes4 c) noexcept { return c - a * b; }
#endif

/// One number in all four lanes.
inline Lanes4 everywhere(double a) noexcept { return Lanes4{a, a, a, a}; }

struct Vec3 {
  Lanes4 lanes{};

  Vec3() = default;
  explicit Vec3(Lanes4 l) noexcept : lanes(l) {}
  Vec3(double x, double y, double z) noexcept : lanes{x, y, z, 0.0} {}
  explicit Vec3(const Eigen::Vector3d& a) noexcept : lanes{a.x(), a.y(), a.z(), 0.0} {}

  double operator[](int i) const noexcept { return lanes[i]; }
  double x() const noexcept { return lanes[0]; }
  double y() const noexcept { return lanes[1]; }
  double z() const noexcept { return lanes[2]; }
  Eigen::Vector3d eigen() const noexcept { return {lanes[0], lanes[1], lanes[2]}; }

  Vec3& operator+=(const Vec3& b) noexcept {
    lanes += b.lanes;
    return *this;
  }
  Vec3& operator-=(const Vec3& b) noexcept {
    lanes -= b.lanes;
    return *this;
  }
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) noexcept { return Vec3(a.lanes + b.lanes); }
inline Vec3 operator-(const Vec3& a, const Vec3& b) noexcept { return Vec3(a.lanes - b.lanes); }
inline Vec3 operator-(const Vec3& a) noexcept { return Vec3(-a.lanes); }
inline Vec3 operator*(double s, const Vec3& a) noexcept { return Vec3(s * a.lanes); }
inline Vec3 operator*(const Vec3& a, double s) noexcept { return Vec3(s * a.lanes); }

/// Three numbers of an array.
inline Vec3 load3(const double* p) noexcept { return {p[0], p[1], p[2]}; }
inline void store3(const Vec3& a, double* p) noexcept {
  for (int i = 0; i < 3; ++i) p[i] = a[i];
}

/// s * a + b.
inline Vec3 fused(double s, const Vec3& a, const Vec3& b) noexcept {
  return Vec3(fused(everywhere(s), a.lanes, b.lanes));
}

/// s * a - b.
inline Vec3 fused_less(double s, const Vec3& a, const Vec3& b) noexcept {
  return Vec3(fused_less(everywhere(s), a.lanes, b.lanes));
}
/// b - s * a.
inline Vec3 fused_from(double s, const Vec3& a, const Vec3& b) noexcept {
  return Vec3(fused_from(everywhere(s), a.lanes, b.lanes));
}

inline Lanes4 rotated_lanes(Lanes4 a) noexcept { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }

/// a x b: one of the three rotations is saved by rotating the difference.
inline Vec3 cross(const Vec3& a, const Vec3& b) noexcept {
  return Vec3(rotated_lanes(fused_less(a.lanes, rotated_lanes(b.lanes), rotated_lanes(a.lanes) * b.lanes)));
}

inline double dot(const Vec3& a, const Vec3& b) noexcept {
  const Lanes4 m = a.lanes * b.lanes;
  return (m[0] + m[1]) + m[2];
}

/// a . b + c . d with one sum over the lanes.
inline double dot(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) noexcept {
  const Lanes4 m = fused(a.lanes, b.lanes, c.lanes * d.lanes);
  return (m[0] + m[1]) + m[2];
}

/// Columns c[0], c[1], c[2].
struct Mat3 {
  std::array<Vec3, 3> c;

  Mat3() = default;
  Mat3(const Vec3& c0, const Vec3& c1, const Vec3& c2) noexcept : c{c0, c1, c2} {}
  explicit Mat3(const Eigen::Matrix3d& m) noexcept
      : c{Vec3(Eigen::Vector3d(m.col(0))), Vec3(Eigen::Vector3d(m.col(1))), Vec3(Eigen::Vector3d(m.col(2)))} {}

  double operator()(int row, int col) const noexcept { return c[static_cast<std::size_t>(col)].lanes[row]; }
  Eigen::Matrix3d eigen() const noexcept {
    Eigen::Matrix3d m;
    m << c[0].eigen(), c[1].eigen(), c[2].eigen();
    return m;
  }
};

inline Mat3 identity3() noexcept { return {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}; }

inline Vec3 operator*(const Mat3& m, const Vec3& a) noexcept {
  const Lanes4 first = m.c[0].lanes * a.lanes[0];
  return Vec3(fused(m.c[2].lanes, everywhere(a.lanes[2]), fused(m.c[1].lanes, everywhere(a.lanes[1]), first)));
}

inline Mat3 operator*(const Mat3& a, const Mat3& b) noexcept { return {a * b.c[0], a * b.c[1], a * b.c[2]}; }
inline Mat3 operator+(const Mat3& a, const Mat3& b) noexcept {
  return {a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2]};
}
inline Mat3 operator-(const Mat3& a, const Mat3& b) noexcept {
  return {a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]};
}

inline Mat3 transposed(const Mat3& m) noexcept {
  const Lanes4 lo = __builtin_shufflevector(m.c[0].lanes, m.c[1].lanes, 0, 4, 2, 6);  // 00 01 20 21
  const Lanes4 hi = __builtin_shufflevector(m.c[0].lanes, m.c[1].lanes, 1, 5, 3, 7);  // 10 11 30 31
  const Lanes4 z = m.c[2].lanes;                                                      // 02 12 22 32
  return {Vec3(__builtin_shufflevector(lo, z, 0, 1, 4, 7)), Vec3(__builtin_shufflevector(hi, z, 0, 1, 5, 7)),
          Vec3(__builtin_shufflevector(lo, z, 2, 3, 6, 7))};
}

/// [r]x, with [r]x a = r x a.
inline Mat3 skew(const Vec3& r) noexcept {
  const Lanes4 zero{};
  const Lanes4 negative = -r.lanes;
  return {Vec3(__builtin_shufflevector(__builtin_shufflevector(r.lanes, negative, 0, 2, 5, 3), zero, 4, 1, 2, 7)),
          Vec3(__builtin_shufflevector(__builtin_shufflevector(r.lanes, negative, 6, 0, 0, 3), zero, 0, 5, 2, 7)),
          Vec3(__builtin_shufflevector(__builtin_shufflevector(r.lanes, negative, 1, 4, 2, 3), zero, 0, 1, 6, 7))};
}

/// m times the unit matrix.
inline Mat3 diagonal3(double m) noexcept {
  return {Vec3(Lanes4{m, 0.0, 0.0, 0.0}), Vec3(Lanes4{0.0, m, 0.0, 0.0}), Vec3(Lanes4{0.0, 0.0, m, 0.0})};
}

/// m * [r]x, with [r]x a = r x a: three differences of scaled columns.
inline Mat3 times_skew(const Mat3& m, const Vec3& r) noexcept {
  return {Vec3(fused_less(m.c[1].lanes, everywhere(r.lanes[2]), m.c[2].lanes * r.lanes[1])),
          Vec3(fused_less(m.c[2].lanes, everywhere(r.lanes[0]), m.c[0].lanes * r.lanes[2])),
          Vec3(fused_less(m.c[0].lanes, everywhere(r.lanes[1]), m.c[1].lanes * r.lanes[0]))};
}

/// R * m * R^T for a symmetric m.
inline Mat3 congruent(const Mat3& R, const Mat3& m) noexcept {
  const Mat3 t = R * m;
  const Mat3 Rt = transposed(R);
  return {t * Rt.c[0], t * Rt.c[1], t * Rt.c[2]};
}

}  // namespace kinloop
