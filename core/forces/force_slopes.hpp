// Owns ForceSlopes: where force elements put the exact derivatives of their forces.
#pragma once

#include "core/spatial/spatial_vector.hpp"

namespace kinloop {

/// A force between two bodies, and how it changes where b alone moves. World axes.
///
/// The element acts at a point P. Let b turn by theta and its point at P go by d; its velocity, seen at the place where
/// P is now, changes by dw and du. With e = d + theta x lever, the displacement of the point on which the force depends
/// and which it follows,
///
///   force' = force_by_place e + force_by_rate du + force_by_turn theta
///   moment' = e x force + moment_by_turn theta + moment_by_spin dw + moment_by_place e,   about the place where P was
struct PairSlope {
  int body_a = 0, body_b = 0;
  Vec3 arm_b;   // from the reference point of b to P
  Vec3 lever;   // from P to the point that moves it
  Vec3 moment;  // on b, about P
  Vec3 force;   // on b
  Mat3 force_by_place, force_by_rate, force_by_turn;
  Mat3 moment_by_turn, moment_by_spin, moment_by_place;

  // Of what pulls along a line: the tension changes by tension_by_place . e + tension_by_rate . du, and by the
  // coordinate and speed of a winch (-1: none), along which `winch_gain` times the tension acts; so does the force on
  // b.
  Vec3 tension_by_place, tension_by_rate;
  int winch = -1;
  double winch_gain = 0.0, tension_by_q = 0.0, tension_by_v = 0.0;
  Vec3 force_by_q, force_by_v;
};

class ForceSlopes {
 public:
  virtual ~ForceSlopes() = default;
  virtual void add(const PairSlope& pair) noexcept = 0;
  /// Of a force along a speed, by its own coordinate and by the speed.
  virtual void add_along(int speed, double by_q, double by_v) noexcept = 0;

 protected:
  ForceSlopes() = default;
  ForceSlopes(const ForceSlopes&) = default;
  ForceSlopes& operator=(const ForceSlopes&) = default;
};

}  // namespace kinloop
