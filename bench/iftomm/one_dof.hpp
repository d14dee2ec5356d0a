// Owns the motion of phi'' = -k cos(phi), to rounding: pendulums, and parallelograms that hang together.
#pragma once

namespace kinloop::bench {

struct Swing {
  double angle_rad = 0.0;  // against the horizontal
  double rate_radps = 0.0;
};

/// The state after `duration_s`; `k` in 1/s^2.
Swing swing(double k, Swing from, double duration_s);

/// k of A02: `windows` + 1 upright rods turn about their lower ends, the couplers move on circles without turning.
double n_four_bar_constant(int windows);

}  // namespace kinloop::bench
