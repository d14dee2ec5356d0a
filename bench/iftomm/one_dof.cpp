// Taylor series of order 24: the coefficients of phi, sin(phi) and cos(phi) follow from each other.
#include "bench/iftomm/one_dof.hpp"

#include <array>
#include <cmath>

namespace kinloop::bench {
namespace {

constexpr int kOrder = 24;
// The series converges within 1 / |rate|, and rates stay below 10 rad/s here: 0.1^24 is far below rounding.
constexpr double kLongestStep_s = 0.01;

// With p, s, c the coefficients of phi, sin(phi), cos(phi): s' = c phi', c' = -s phi', phi'' = -k c.
Swing taylor_step(double k, const Swing& from, double h) {
  std::array<double, kOrder + 1> p{}, s{}, c{};
  p[0] = from.angle_rad;
  p[1] = from.rate_radps;
  s[0] = std::sin(from.angle_rad);
  c[0] = std::cos(from.angle_rad);
  for (std::size_t n = 1; n <= kOrder; ++n) {
    const auto order = static_cast<double>(n);
    if (n >= 2) p[n] = -k * c[n - 2] / (order * (order - 1));
    for (std::size_t j = 1; j <= n; ++j) {
      s[n] += static_cast<double>(j) * p[j] * c[n - j] / order;
      c[n] -= static_cast<double>(j) * p[j] * s[n - j] / order;
    }
  }
  Swing to;
  for (std::size_t n = kOrder + 1; n-- > 0;) to.angle_rad = to.angle_rad * h + p[n];
  for (std::size_t n = kOrder; n > 0; --n) to.rate_radps = to.rate_radps * h + static_cast<double>(n) * p[n];
  return to;
}

}  // namespace

Swing swing(double k, Swing from, double duration_s) {
  const int steps = static_cast<int>(std::ceil(duration_s / kLongestStep_s));
  for (int i = 0; i < steps; ++i) from = taylor_step(k, from, duration_s / steps);
  return from;
}

// Kinetic energy 1/2 m L^2 ((N + 1) / 3 + N) phi'^2, potential energy m g L ((N + 1) / 2 + N) sin(phi); L = 1 m.
double n_four_bar_constant(int windows) {
  constexpr double kGravity_mps2 = 9.81;
  return kGravity_mps2 * ((windows + 1) / 2.0 + windows) / ((windows + 1) / 3.0 + windows);
}

}  // namespace kinloop::bench
