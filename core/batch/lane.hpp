// Owns Lane: one number of each of W states, and the vectors and matrices of the sweeps made of them.
//
// Nothing here moves a number from one lane to another, so that a state's results do not depend on its neighbours.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/math/sincos.hpp"
#include "core/spatial/vec3.hpp"

namespace kinloop::batch {

/// W doubles, and what comparing them gives: all bits set where it is true.
template <int W>
struct LaneVector;

// NOLINTBEGIN(modernize-use-using): the attribute does not bind to an alias in gcc 12
template <>
struct LaneVector<2> {
  typedef double Numbers __attribute__((vector_size(16)));
  typedef std::int64_t Bits __attribute__((vector_size(16)));
};
template <>
struct LaneVector<4> {
  typedef double Numbers __attribute__((vector_size(32)));
  typedef std::int64_t Bits __attribute__((vector_size(32)));
};
template <>
struct LaneVector<8> {
  typedef double Numbers __attribute__((vector_size(64)));
  typedef std::int64_t Bits __attribute__((vector_size(64)));
};
// NOLINTEND(modernize-use-using)

/// How many states the widest instructions of the target take at once.
#ifdef __AVX__
inline constexpr int kNativeWidth = 4;
#else
inline constexpr int kNativeWidth = 2;
#endif

template <int W>
struct Mask {
  typename LaneVector<W>::Bits bits{};

  bool operator[](int i) const noexcept { return bits[i] != 0; }
  bool any() const noexcept {
#ifdef __AVX__
    if constexpr (W == 4) return _mm256_movemask_pd(_mm256_castsi256_pd(__m256i(bits))) != 0;
#endif
    std::int64_t found = 0;
    for (int i = 0; i < W; ++i) found |= bits[i];
    return found != 0;
  }
  bool all() const noexcept {
    std::int64_t found = -1;
    for (int i = 0; i < W; ++i) found &= bits[i];
    return found != 0;
  }
  [[gnu::always_inline]] Mask& operator|=(const Mask& b) noexcept {
    bits |= b.bits;
    return *this;
  }
};
template <int W>
[[gnu::always_inline]] inline Mask<W> operator|(const Mask<W>& a, const Mask<W>& b) noexcept {
  return {a.bits | b.bits};
}
template <int W>
[[gnu::always_inline]] inline Mask<W> operator&(const Mask<W>& a, const Mask<W>& b) noexcept {
  return {a.bits & b.bits};
}
template <int W>
[[gnu::always_inline]] inline Mask<W> operator~(const Mask<W>& a) noexcept {
  return {~a.bits};
}

template <int W>
struct Lane {
  using Numbers = typename LaneVector<W>::Numbers;
  Numbers v{};

  Lane() = default;
  [[gnu::always_inline]] Lane(const Numbers& numbers) noexcept : v(numbers) {}  // NOLINT(google-explicit-constructor)
  /// The same in every lane.
  [[gnu::always_inline]] Lane(double x) noexcept {  // NOLINT(google-explicit-constructor)
    if constexpr (W == 2) {
      v = Numbers{x, x};
    } else if constexpr (W == 4) {
      v = Numbers{x, x, x, x};
    } else {
      v = Numbers{x, x, x, x, x, x, x, x};
    }
  }

  double operator[](int i) const noexcept { return v[i]; }
  void set(int i, double x) noexcept { v[i] = x; }

  [[gnu::always_inline]] Lane& operator+=(const Lane& b) noexcept {
    v += b.v;
    return *this;
  }
  [[gnu::always_inline]] Lane& operator-=(const Lane& b) noexcept {
    v -= b.v;
    return *this;
  }

  [[gnu::always_inline]] friend Lane operator+(const Lane& a, const Lane& b) noexcept { return a.v + b.v; }
  [[gnu::always_inline]] friend Lane operator-(const Lane& a, const Lane& b) noexcept { return a.v - b.v; }
  [[gnu::always_inline]] friend Lane operator*(const Lane& a, const Lane& b) noexcept { return a.v * b.v; }
  [[gnu::always_inline]] friend Lane operator/(const Lane& a, const Lane& b) noexcept { return a.v / b.v; }
  [[gnu::always_inline]] friend Lane operator-(const Lane& a) noexcept { return -a.v; }
  [[gnu::always_inline]] friend Mask<W> operator<(const Lane& a, const Lane& b) noexcept { return {a.v < b.v}; }
  [[gnu::always_inline]] friend Mask<W> operator>(const Lane& a, const Lane& b) noexcept { return {a.v > b.v}; }
  [[gnu::always_inline]] friend Mask<W> operator<=(const Lane& a, const Lane& b) noexcept { return {a.v <= b.v}; }
};

/// a * b + c, a * b - c, c - a * b: in one rounding where the target has such instructions.
template <int W>
[[gnu::always_inline]] inline Lane<W> fused(const Lane<W>& a, const Lane<W>& b, const Lane<W>& c) noexcept {
#ifdef __FMA__
  if constexpr (W == 2) return Lane<W>(typename Lane<W>::Numbers(_mm_fmadd_pd(a.v, b.v, c.v)));
  if constexpr (W == 4) return Lane<W>(typename Lane<W>::Numbers(_mm256_fmadd_pd(a.v, b.v, c.v)));
  if constexpr (W == 8) {
    Lane<W> r;
    for (int i = 0; i < W; ++i) r.v[i] = __builtin_fma(a.v[i], b.v[i], c.v[i]);
    return r;
  }
#endif
  return a.v * b.v + c.v;
}
template <int W>
[[gnu::always_inline]] inline Lane<W> fused_less(const Lane<W>& a, const Lane<W>& b, const Lane<W>& c) noexcept {
#ifdef __FMA__
  if constexpr (W == 2) return Lane<W>(typename Lane<W>::Numbers(_mm_fmsub_pd(a.v, b.v, c.v)));
  if constexpr (W == 4) return Lane<W>(typename Lane<W>::Numbers(_mm256_fmsub_pd(a.v, b.v, c.v)));
  if constexpr (W == 8) return fused(a, b, -c);
#endif
  return a.v * b.v - c.v;
}
template <int W>
[[gnu::always_inline]] inline Lane<W> fused_from(const Lane<W>& a, const Lane<W>& b, const Lane<W>& c) noexcept {
#ifdef __FMA__
  if constexpr (W == 2) return Lane<W>(typename Lane<W>::Numbers(_mm_fnmadd_pd(a.v, b.v, c.v)));
  if constexpr (W == 4) return Lane<W>(typename Lane<W>::Numbers(_mm256_fnmadd_pd(a.v, b.v, c.v)));
  if constexpr (W == 8) return fused(-a, b, c);
#endif
  return c.v - a.v * b.v;
}

template <int W>
[[gnu::always_inline]] inline Lane<W> select(const Mask<W>& mask, const Lane<W>& yes, const Lane<W>& no) noexcept {
  return typename Lane<W>::Numbers(mask.bits ? yes.v : no.v);
}
template <int W>
[[gnu::always_inline]] inline Lane<W> magnitude(const Lane<W>& a) noexcept {
  return select(a < Lane<W>(0.0), -a, a);
}
/// Of two numbers; a where one of them is none.
template <int W>
[[gnu::always_inline]] inline Lane<W> larger(const Lane<W>& a, const Lane<W>& b) noexcept {
  return select(b > a, b, a);
}
template <int W>
[[gnu::always_inline]] inline Lane<W> smaller(const Lane<W>& a, const Lane<W>& b) noexcept {
  return select(b < a, b, a);
}
template <int W>
[[gnu::always_inline]] inline Lane<W> root(const Lane<W>& a) noexcept {
#ifdef __AVX__
  if constexpr (W == 4) return Lane<W>(typename Lane<W>::Numbers(_mm256_sqrt_pd(a.v)));
#endif
  Lane<W> r;
  for (int i = 0; i < W; ++i) r.v[i] = std::sqrt(a.v[i]);
  return r;
}

/// core/math/sincos.hpp, lane by lane.
template <int W>
inline void sine_cosine(const Lane<W>& x, Lane<W>& sine, Lane<W>& cosine) noexcept {
  using L = Lane<W>;
  using Bits = typename LaneVector<W>::Bits;
  namespace c_of = reduced_angle;
  constexpr double kLargest = kLargestReducedAngle;
  const L shifted = fused(x, L(c_of::kTwoOverPi), L(c_of::kRound));
  const L n = shifted - L(c_of::kRound);
  const L r1 = fused_from(n, L(c_of::kPiHalf1), x);
  const L r = fused_from(n, L(c_of::kPiHalf3), fused_from(n, L(c_of::kPiHalf2), r1));
  Bits quadrant;
  std::memcpy(&quadrant, &shifted.v, sizeof quadrant);
  const L z = r * r;
  const L z2 = z * z;
  const L s_low = fused(z, L(c_of::kSine2), L(c_of::kSine1));
  const L s_mid = fused(z, L(c_of::kSine4), L(c_of::kSine3));
  const L s_high = fused(z, L(c_of::kSine6), L(c_of::kSine5));
  const L s = fused(r * z, fused(z2, fused(z2, s_high, s_mid), s_low), r);
  const L c_low = fused(z, L(c_of::kCosine2), L(c_of::kCosine1));
  const L c_mid = fused(z, L(c_of::kCosine4), L(c_of::kCosine3));
  const L c_high = fused(z, L(c_of::kCosine6), L(c_of::kCosine5));
  const L half = L(0.5) * z;
  const L w = L(1.0) - half;
  const L c = w + fused(z2, fused(z2, fused(z2, c_high, c_mid), c_low), (L(1.0) - w) - half);
  const Bits swap = -(quadrant & 1);  // all ones where n is odd
  Bits s_bits;
  Bits c_bits;
  std::memcpy(&s_bits, &s.v, sizeof s_bits);
  std::memcpy(&c_bits, &c.v, sizeof c_bits);
  const Bits sine_bits = ((s_bits & ~swap) | (c_bits & swap)) ^ ((quadrant & 2) << 62);
  const Bits cosine_bits = ((c_bits & ~swap) | (s_bits & swap)) ^ (((quadrant + 1) & 2) << 62);
  std::memcpy(&sine.v, &sine_bits, sizeof sine_bits);
  std::memcpy(&cosine.v, &cosine_bits, sizeof cosine_bits);
  const Mask<W> huge = (x > L(kLargest)) | (x < L(-kLargest));
  if (huge.any()) [[unlikely]] {
    for (int i = 0; i < W; ++i) {
      if (!huge[i]) continue;
      sine.set(i, std::sin(x[i]));
      cosine.set(i, std::cos(x[i]));
    }
  }
}

/// e^x for x from 0 to 80, error a few ulp.
template <int W>
inline Lane<W> exponential(const Lane<W>& x) noexcept {
  using L = Lane<W>;
  using Bits = typename LaneVector<W>::Bits;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it leaves the nearest integer in the low bits
  const L shifted = fused(x, L(1.44269504088896338700e+00), L(kRound));
  const L n = shifted - L(kRound);
  const L r = fused_from(n, L(1.90821492927058770002e-10), fused_from(n, L(6.93147180369123816490e-01), x));
  L sum(1.0 / 6227020800.0);  // |r| <= ln 2 / 2: 13 terms of the series have all digits
  for (const double c : {1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0, 1.0 / 40320.0,
                         1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0}) {
    sum = fused(sum, r, L(c));
  }
  Bits exponent;
  std::memcpy(&exponent, &shifted.v, sizeof exponent);
  const Bits power = (exponent + 1023) << 52;  // 2^n: the high bits of `shifted` leave the word
  L scale;
  std::memcpy(&scale.v, &power, sizeof power);
  return sum * scale;
}
/// tanh x to 2e-16 absolute: forces of friction are sums with others.
template <int W>
inline Lane<W> hyperbolic_tangent(const Lane<W>& x) noexcept {
  using L = Lane<W>;
  const L twice = smaller(L(2.0) * magnitude(x), L(80.0));
  const L positive = L(1.0) - L(2.0) / (exponential(twice) + L(1.0));
  return select(x < L(0.0), -positive, positive);
}

template <int W>
struct Vec {
  Lane<W> x, y, z;

  // Member by member in so many words, here and below: gcc copies what is so large as one block of memory otherwise,
  // and what might stay in registers goes through it.
  Vec() = default;
  [[gnu::always_inline]] Vec(const Lane<W>& a, const Lane<W>& b, const Lane<W>& c) noexcept : x(a), y(b), z(c) {}
  explicit Vec(const Vec3& a) noexcept : x(a.x()), y(a.y()), z(a.z()) {}
  [[gnu::always_inline]] Vec(const Vec& b) noexcept : x(b.x), y(b.y), z(b.z) {}
  [[gnu::always_inline]] Vec& operator=(const Vec& b) noexcept {
    x = b.x;
    y = b.y;
    z = b.z;
    return *this;
  }

  [[gnu::always_inline]] Vec& operator+=(const Vec& b) noexcept {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
  [[gnu::always_inline]] Vec& operator-=(const Vec& b) noexcept {
    x -= b.x;
    y -= b.y;
    z -= b.z;
    return *this;
  }

  Vec3 of(int lane) const noexcept { return {x[lane], y[lane], z[lane]}; }
  void set(int lane, const Vec3& a) noexcept {
    x.set(lane, a.x());
    y.set(lane, a.y());
    z.set(lane, a.z());
  }

  [[gnu::always_inline]] friend Vec operator+(const Vec& a, const Vec& b) noexcept {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  [[gnu::always_inline]] friend Vec operator-(const Vec& a, const Vec& b) noexcept {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  [[gnu::always_inline]] friend Vec operator-(const Vec& a) noexcept { return {-a.x, -a.y, -a.z}; }
  [[gnu::always_inline]] friend Vec operator*(const Lane<W>& s, const Vec& a) noexcept {
    return {s * a.x, s * a.y, s * a.z};
  }
};

/// s * a + b, b - s * a.
template <int W>
[[gnu::always_inline]] inline Vec<W> fused(const Lane<W>& s, const Vec<W>& a, const Vec<W>& b) noexcept {
  return {fused(s, a.x, b.x), fused(s, a.y, b.y), fused(s, a.z, b.z)};
}
template <int W>
[[gnu::always_inline]] inline Vec<W> fused_from(const Lane<W>& s, const Vec<W>& a, const Vec<W>& b) noexcept {
  return {fused_from(s, a.x, b.x), fused_from(s, a.y, b.y), fused_from(s, a.z, b.z)};
}
template <int W>
[[gnu::always_inline]] inline Vec<W> cross(const Vec<W>& a, const Vec<W>& b) noexcept {
  return {fused_less(a.y, b.z, a.z * b.y), fused_less(a.z, b.x, a.x * b.z), fused_less(a.x, b.y, a.y * b.x)};
}
/// a x b + c.
template <int W>
[[gnu::always_inline]] inline Vec<W> cross_plus(const Vec<W>& a, const Vec<W>& b, const Vec<W>& c) noexcept {
  return {fused_from(a.z, b.y, fused(a.y, b.z, c.x)), fused_from(a.x, b.z, fused(a.z, b.x, c.y)),
          fused_from(a.y, b.x, fused(a.x, b.y, c.z))};
}
template <int W>
[[gnu::always_inline]] inline Lane<W> dot(const Vec<W>& a, const Vec<W>& b) noexcept {
  return fused(a.z, b.z, fused(a.y, b.y, a.x * b.x));
}
/// a . b + c.
template <int W>
[[gnu::always_inline]] inline Lane<W> dot_plus(const Vec<W>& a, const Vec<W>& b, const Lane<W>& c) noexcept {
  return fused(a.z, b.z, fused(a.y, b.y, fused(a.x, b.x, c)));
}

/// Columns.
template <int W>
struct Mat {
  std::array<Vec<W>, 3> c;

  Mat() = default;
  [[gnu::always_inline]] Mat(const Vec<W>& c0, const Vec<W>& c1, const Vec<W>& c2) noexcept : c{c0, c1, c2} {}
  [[gnu::always_inline]] Mat(const Mat& b) noexcept : c{b.c[0], b.c[1], b.c[2]} {}
  [[gnu::always_inline]] Mat& operator=(const Mat& b) noexcept {
    c[0] = b.c[0];
    c[1] = b.c[1];
    c[2] = b.c[2];
    return *this;
  }

  Mat3 of(int lane) const noexcept { return {c[0].of(lane), c[1].of(lane), c[2].of(lane)}; }
  void set(int lane, const Mat3& m) noexcept {
    for (std::size_t i = 0; i < 3; ++i) c[i].set(lane, m.c[i]);
  }
};

template <int W>
[[gnu::always_inline]] inline Vec<W> operator*(const Mat<W>& m, const Vec<W>& a) noexcept {
  return fused(a.z, m.c[2], fused(a.y, m.c[1], a.x * m.c[0]));
}
/// With a constant: what is zero in it is passed over.
template <int W>
[[gnu::always_inline]] inline Vec<W> times(const Mat<W>& m, const Vec3& a) noexcept {
  return fused(Lane<W>(a.z()), m.c[2], fused(Lane<W>(a.y()), m.c[1], Lane<W>(a.x()) * m.c[0]));
}
template <int W>
[[gnu::always_inline]] inline Mat<W> times(const Mat<W>& m, const Mat3& a) noexcept {
  return {times(m, a.c[0]), times(m, a.c[1]), times(m, a.c[2])};
}
template <int W>
[[gnu::always_inline]] inline Vec<W> transposed_times(const Mat<W>& m, const Vec<W>& a) noexcept {
  return {dot(m.c[0], a), dot(m.c[1], a), dot(m.c[2], a)};
}

/// Symmetric.
template <int W>
struct Sym {
  Lane<W> xx, xy, xz, yy, yz, zz;

  Sym() = default;
  [[gnu::always_inline]] Sym(const Lane<W>& a, const Lane<W>& b, const Lane<W>& c, const Lane<W>& d, const Lane<W>& e,
                             const Lane<W>& f) noexcept
      : xx(a), xy(b), xz(c), yy(d), yz(e), zz(f) {}
  [[gnu::always_inline]] Sym(const Sym& b) noexcept : xx(b.xx), xy(b.xy), xz(b.xz), yy(b.yy), yz(b.yz), zz(b.zz) {}
  [[gnu::always_inline]] Sym& operator=(const Sym& b) noexcept {
    xx = b.xx;
    xy = b.xy;
    xz = b.xz;
    yy = b.yy;
    yz = b.yz;
    zz = b.zz;
    return *this;
  }
  [[gnu::always_inline]] Sym& operator+=(const Sym& b) noexcept {
    xx += b.xx;
    xy += b.xy;
    xz += b.xz;
    yy += b.yy;
    yz += b.yz;
    zz += b.zz;
    return *this;
  }
};

template <int W>
[[gnu::always_inline]] inline Vec<W> operator*(const Sym<W>& m, const Vec<W>& a) noexcept {
  return {fused(m.xz, a.z, fused(m.xy, a.y, m.xx * a.x)), fused(m.yz, a.z, fused(m.yy, a.y, m.xy * a.x)),
          fused(m.zz, a.z, fused(m.yz, a.y, m.xz * a.x))};
}
/// m a + b.
template <int W>
[[gnu::always_inline]] inline Vec<W> times_plus(const Sym<W>& m, const Vec<W>& a, const Vec<W>& b) noexcept {
  return {fused(m.xz, a.z, fused(m.xy, a.y, fused(m.xx, a.x, b.x))),
          fused(m.yz, a.z, fused(m.yy, a.y, fused(m.xy, a.x, b.y))),
          fused(m.zz, a.z, fused(m.yz, a.y, fused(m.xz, a.x, b.z)))};
}
/// m - a b^T, of which the result is known to be symmetric.
template <int W>
[[gnu::always_inline]] inline void subtract_outer(Sym<W>& m, const Vec<W>& a, const Vec<W>& b) noexcept {
  m.xx = fused_from(a.x, b.x, m.xx);
  m.xy = fused_from(a.x, b.y, m.xy);
  m.xz = fused_from(a.x, b.z, m.xz);
  m.yy = fused_from(a.y, b.y, m.yy);
  m.yz = fused_from(a.y, b.z, m.yz);
  m.zz = fused_from(a.z, b.z, m.zz);
}
/// m - a b^T.
template <int W>
[[gnu::always_inline]] inline void subtract_outer(Mat<W>& m, const Vec<W>& a, const Vec<W>& b) noexcept {
  m.c[0] = fused_from(b.x, a, m.c[0]);
  m.c[1] = fused_from(b.y, a, m.c[1]);
  m.c[2] = fused_from(b.z, a, m.c[2]);
}

/// a b + c d + e f.
template <int W>
[[gnu::always_inline]] inline Lane<W> row_product(const Lane<W>& a, const Lane<W>& b, const Lane<W>& c,
                                                  const Lane<W>& d, const Lane<W>& e, const Lane<W>& f) noexcept {
  return fused(e, f, fused(c, d, a * b));
}
/// t R^T, which is known to be symmetric.
template <int W>
[[gnu::always_inline]] inline Sym<W> times_transposed(const Mat<W>& t, const Mat<W>& R) noexcept {
  return {row_product(t.c[0].x, R.c[0].x, t.c[1].x, R.c[1].x, t.c[2].x, R.c[2].x),
          row_product(t.c[0].x, R.c[0].y, t.c[1].x, R.c[1].y, t.c[2].x, R.c[2].y),
          row_product(t.c[0].x, R.c[0].z, t.c[1].x, R.c[1].z, t.c[2].x, R.c[2].z),
          row_product(t.c[0].y, R.c[0].y, t.c[1].y, R.c[1].y, t.c[2].y, R.c[2].y),
          row_product(t.c[0].y, R.c[0].z, t.c[1].y, R.c[1].z, t.c[2].y, R.c[2].z),
          row_product(t.c[0].z, R.c[0].z, t.c[1].z, R.c[1].z, t.c[2].z, R.c[2].z)};
}

/// R I R^T of a constant symmetric I, and of a diagonal one.
template <int W>
[[gnu::always_inline]] inline Sym<W> congruent(const Mat<W>& R, const Mat3& I) noexcept {
  return times_transposed(times(R, I), R);
}
template <int W>
[[gnu::always_inline]] inline Sym<W> congruent_to_diagonal(const Mat<W>& R, const Mat3& I) noexcept {
  return times_transposed(Mat<W>(Lane<W>(I(0, 0)) * R.c[0], Lane<W>(I(1, 1)) * R.c[1], Lane<W>(I(2, 2)) * R.c[2]), R);
}

/// Velocity, acceleration or wrench.
template <int W>
struct Spatial {
  Vec<W> angular, linear;

  Spatial() = default;
  [[gnu::always_inline]] Spatial(const Vec<W>& a, const Vec<W>& b) noexcept : angular(a), linear(b) {}
  [[gnu::always_inline]] Spatial(const Spatial& b) noexcept : angular(b.angular), linear(b.linear) {}
  [[gnu::always_inline]] Spatial& operator=(const Spatial& b) noexcept {
    angular = b.angular;
    linear = b.linear;
    return *this;
  }
  [[gnu::always_inline]] Spatial& operator+=(const Spatial& b) noexcept {
    angular += b.angular;
    linear += b.linear;
    return *this;
  }
};
template <int W>
[[gnu::always_inline]] inline Lane<W> dot(const Spatial<W>& a, const Spatial<W>& b) noexcept {
  return dot_plus(a.linear, b.linear, dot(a.angular, b.angular));
}

}  // namespace kinloop::batch
