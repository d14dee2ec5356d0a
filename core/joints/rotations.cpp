// Implements the rotations that several joint types share.
#include <algorithm>
#include <cmath>

#include "core/joints/joint.hpp"

namespace kinloop {

Mat3 rotation_from_quaternion(const double* quaternion) noexcept {
  const double w = quaternion[0];
  const double x = quaternion[1];
  const double y = quaternion[2];
  const double z = quaternion[3];
  return {Vec3(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)),
          Vec3(2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)),
          Vec3(2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y))};
}

void quaternion_from_rotation(const Mat3& R, double* quaternion) noexcept {
  // The component of largest magnitude is computed first, so that no small number is divided by.
  const double trace = R(0, 0) + R(1, 1) + R(2, 2);
  const double candidates[4] = {trace, R(0, 0), R(1, 1), R(2, 2)};
  const int largest = static_cast<int>(std::max_element(candidates, candidates + 4) - candidates);
  const double root = std::sqrt(std::max(0.0, 1.0 + 2.0 * candidates[largest] - trace));
  const double scale = 0.5 / root;
  if (largest == 0) {
    quaternion[0] = 0.5 * root;
    quaternion[1] = scale * (R(2, 1) - R(1, 2));
    quaternion[2] = scale * (R(0, 2) - R(2, 0));
    quaternion[3] = scale * (R(1, 0) - R(0, 1));
  } else {
    const int i = largest - 1;
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    quaternion[0] = scale * (R(k, j) - R(j, k));
    quaternion[1 + i] = 0.5 * root;
    quaternion[1 + j] = scale * (R(i, j) + R(j, i));
    quaternion[1 + k] = scale * (R(i, k) + R(k, i));
  }
  if (quaternion[0] < 0.0) {
    for (int i = 0; i < 4; ++i) quaternion[i] = -quaternion[i];
  }
}

Mat3 rotation_z(double angle) noexcept {
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  return {Vec3(c, s, 0.0), Vec3(-s, c, 0.0), Vec3(0.0, 0.0, 1.0)};
}

double angle_about_z(const Mat3& R) noexcept { return std::atan2(R(1, 0) - R(0, 1), R(0, 0) + R(1, 1)); }

}  // namespace kinloop
