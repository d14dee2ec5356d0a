// Owns Random: numbers that are the same on every machine, since std's distributions are not.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "core/spatial/types.hpp"

namespace kinloop {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// In [0, 1), 53 random bits.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// 0 ... count - 1.
  int below(int count) { return static_cast<int>(uniform() * count); }
  bool happens(double probability) { return uniform() < probability; }

  /// Every component in [-size, size).
  Vector3 vector(double size) {
    const double x = uniform(-size, size);
    const double y = uniform(-size, size);
    return {x, y, uniform(-size, size)};
  }

  /// Evenly over all directions: the first point of the 4-cube that falls into the ball, never near its centre.
  Eigen::Vector4d unit_quaternion() {
    while (true) {
      Eigen::Vector4d p;
      for (int i = 0; i < 4; ++i) p[i] = uniform(-1.0, 1.0);
      const double norm = p.norm();
      if (norm > 0.1 && norm <= 1.0) return p / norm;
    }
  }

  Matrix3 rotation() {
    const Eigen::Vector4d q = unit_quaternion();
    const Vector3 axis = q.tail<3>();
    return (2.0 * q[0] * q[0] - 1.0) * Matrix3::Identity() + 2.0 * axis * axis.transpose() + 2.0 * q[0] * skew(axis);
  }

  /// Any rotation, position within `size`.
  Pose pose(double size) {
    const Matrix3 R = rotation();
    return {R, vector(size)};
  }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (int i = static_cast<int>(items.size()) - 1; i > 0; --i) {
      std::swap(items[static_cast<std::size_t>(i)], items[static_cast<std::size_t>(below(i + 1))]);
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace kinloop
