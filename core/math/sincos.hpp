// Owns sine and cosine of many angles at once: four angles an instruction, error below 2 ulp, the same bits every time.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/spatial/vec3.hpp"

namespace kinloop {

// NOLINTNEXTLINE(modernize-use-using): the attribute does not bind to an alias in gcc 12
typedef std::int64_t Integers4 __attribute__((vector_size(32)));

/// Largest angle that the reduction below keeps exact; beyond it std::sin and std::cos are asked.
inline constexpr double kLargestReducedAngle = 1.0e6;

// How an angle is reduced and its sine and cosine follow, for four angles here and for lanes of any width (core/batch).
namespace reduced_angle {
// x = n pi/2 + r, |r| <= pi/4, with pi/2 in three parts of 33 bits, so that n times a part is exact (Cody and Waite).
inline constexpr double kTwoOverPi = 6.36619772367581382433e-01;
inline constexpr double kPiHalf1 = 1.57079632673412561417e+00;
inline constexpr double kPiHalf2 = 6.07710050630396597660e-11;
inline constexpr double kPiHalf3 = 2.02226624879595063154e-21;
inline constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: leaves the nearest integer in the low bits
// Minimax polynomials on [-pi/4, pi/4], with z = r^2: sin r = r + r z (kSine1 + kSine2 z + ...),
// cos r = 1 - z / 2 + z^2 (kCosine1 + kCosine2 z + ...).
inline constexpr double kSine1 = -1.66666666666666324348e-01;
inline constexpr double kSine2 = 8.33333333332248946124e-03;
inline constexpr double kSine3 = -1.98412698298579493134e-04;
inline constexpr double kSine4 = 2.75573137070700676789e-06;
inline constexpr double kSine5 = -2.50507602534068634195e-08;
inline constexpr double kSine6 = 1.58969099521155010221e-10;
inline constexpr double kCosine1 = 4.16666666666666019037e-02;
inline constexpr double kCosine2 = -1.38888888888741095749e-03;
inline constexpr double kCosine3 = 2.48015872894767294178e-05;
inline constexpr double kCosine4 = -2.75573143513906633035e-07;
inline constexpr double kCosine5 = 2.08757232129817482790e-09;
inline constexpr double kCosine6 = -1.13596475577881948265e-11;
}  // namespace reduced_angle

/// sin and cos of four angles, each at most kLargestReducedAngle in magnitude.
inline void sincos4(Lanes4 x, Lanes4& sine, Lanes4& cosine) noexcept {
  namespace c_of = reduced_angle;
  const Lanes4 shifted = fused(x, everywhere(c_of::kTwoOverPi), everywhere(c_of::kRound));
  const Lanes4 n = shifted - c_of::kRound;
  const Lanes4 r1 = fused_from(n, everywhere(c_of::kPiHalf1), x);
  const Lanes4 r = fused_from(n, everywhere(c_of::kPiHalf3), fused_from(n, everywhere(c_of::kPiHalf2), r1));
  Integers4 quadrant;
  std::memcpy(&quadrant, &shifted, sizeof quadrant);

  const Lanes4 z = r * r;
  const Lanes4 z2 = z * z;
  // In two interleaved halves, to shorten the chain of dependences.
  const Lanes4 s_low = fused(z, everywhere(c_of::kSine2), everywhere(c_of::kSine1));
  const Lanes4 s_mid = fused(z, everywhere(c_of::kSine4), everywhere(c_of::kSine3));
  const Lanes4 s_high = fused(z, everywhere(c_of::kSine6), everywhere(c_of::kSine5));
  const Lanes4 s = fused(r * z, fused(z2, fused(z2, s_high, s_mid), s_low), r);
  const Lanes4 c_low = fused(z, everywhere(c_of::kCosine2), everywhere(c_of::kCosine1));
  const Lanes4 c_mid = fused(z, everywhere(c_of::kCosine4), everywhere(c_of::kCosine3));
  const Lanes4 c_high = fused(z, everywhere(c_of::kCosine6), everywhere(c_of::kCosine5));
  const Lanes4 half = 0.5 * z;
  const Lanes4 w = 1.0 - half;
  const Lanes4 c = w + fused(z2, fused(z2, fused(z2, c_high, c_mid), c_low), (1.0 - w) - half);

  const Integers4 swap = -(quadrant & 1);  // all ones where n is odd
  Integers4 s_bits;
  Integers4 c_bits;
  std::memcpy(&s_bits, &s, sizeof s_bits);
  std::memcpy(&c_bits, &c, sizeof c_bits);
  const Integers4 sine_bits = ((s_bits & ~swap) | (c_bits & swap)) ^ ((quadrant & 2) << 62);
  const Integers4 cosine_bits = ((c_bits & ~swap) | (s_bits & swap)) ^ (((quadrant + 1) & 2) << 62);
  std::memcpy(&sine, &sine_bits, sizeof sine);
  std::memcpy(&cosine, &cosine_bits, sizeof cosine);
}

/// sin and cos of `count` angles; the output arrays hold a multiple of four.
inline void sincos_all(const double* angles, int count, double* sines, double* cosines) noexcept {
  for (int i = 0; i < count; i += 4) {
    const int rest = count - i;
    Lanes4 x{};
    if (rest >= 4) {
      std::memcpy(&x, angles + i, sizeof x);
    } else {
      x = Lanes4{angles[i], rest > 1 ? angles[i + 1] : 0.0, rest > 2 ? angles[i + 2] : 0.0, 0.0};
    }
    Lanes4 s;
    Lanes4 c;
    sincos4(x, s, c);
    const Integers4 huge = (x > kLargestReducedAngle) | (x < -kLargestReducedAngle);
    if ((huge[0] | huge[1] | huge[2] | huge[3]) != 0) [[unlikely]] {
      for (int j = 0; j < 4; ++j) {
        s[j] = std::sin(x[j]);
        c[j] = std::cos(x[j]);
      }
    }
    std::memcpy(sines + i, &s, sizeof s);
    std::memcpy(cosines + i, &c, sizeof c);
  }
}

}  // namespace kinloop
