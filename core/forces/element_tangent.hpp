// Owns ElementTangent and JointTangent: how force elements between bodies and along speeds oppose small motions.
#pragma once

#include "core/spatial/vec3.hpp"

namespace kinloop {

/// Force on b and minus that on a, where b moves relative to a by dp (of the two points) and dphi: -stiffness dp
/// - damping dp', and the moment likewise. World axes; all four matrices symmetric and not negative.
struct ElementTangent {
  int body_a = 0, body_b = 0;
  Vec3 arm_a, arm_b;  // the points, from the reference points of the bodies
  Mat3 stiffness, damping;
  Mat3 rotational_stiffness, rotational_damping;
  int winch = -1;   // a speed that acts like a motion of b relative to a; -1: none
  Vec3 winch_line;  // how much of it for a unit of that speed

  /// Whether it opposes anything at all: a contact that does not touch, a slack rope do not.
  bool acts() const noexcept {
    return !(is_zero(stiffness) && is_zero(damping) && is_zero(rotational_stiffness) && is_zero(rotational_damping));
  }

 private:
  static bool is_zero(const Mat3& m) noexcept {
    const Lanes4 zero{};
    const auto differs = (m.c[0].lanes != zero) | (m.c[1].lanes != zero) | (m.c[2].lanes != zero);
    return (differs[0] | differs[1] | differs[2]) == 0;
  }
};

/// How what acts along a speed opposes small changes of its position and of the speed; neither is negative.
struct JointTangent {
  double stiffness = 0.0;
  double damping = 0.0;
};

}  // namespace kinloop
