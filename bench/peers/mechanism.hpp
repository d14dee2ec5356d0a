// Owns the neutral description of a mechanism and of its states, which every contestant converts to its own terms.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace kinloop::bench {

// No Eigen here: some peers expose Eigen in their ABI with the distribution's alignment, so each wrapper is compiled
// with baseline flags and only plain doubles cross between them.
using Vec3 = std::array<double, 3>;
using Mat3 = std::array<Vec3, 3>;  // row by row

inline constexpr Mat3 kIdentity3{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};

enum class JointKind { kRevolute, kFree };

/// A body and the joint that carries it; the joint frame is A on the parent and J on the body.
struct RigidBody {
  std::string name;
  double mass_kg = 1.0;
  Vec3 com_B_m{};                    // centre of mass from the origin of B
  Mat3 inertia_B_kgm2 = kIdentity3;  // about the centre of mass, axes of B
  int parent = -1;                   // -1: ground; otherwise smaller than this body's own index
  JointKind joint = JointKind::kRevolute;
  // A revolute joint turns J about the common z of A and J. A free joint has identity frames and stands on ground.
  Mat3 R_PA = kIdentity3;
  Vec3 p_PA_m{};
  Mat3 R_BJ = kIdentity3;
  Vec3 p_BJ_m{};
};

/// A tree of bodies, parents before children.
struct Mechanism {
  std::string name;
  Vec3 gravity_W_mps2{0.0, 0.0, -9.81};
  std::vector<RigidBody> bodies;
};

/// One state and load, body after body. Revolute: angle, rate, torque. Free: position of B in the ground's axes and
/// quaternion wxyz; d(position)/dt in the ground's axes and angular velocity in B's; force in the ground's axes at
/// B's origin and torque in B's (the power conjugates of the velocity).
struct MotionState {
  std::vector<double> q;
  std::vector<double> v;
  std::vector<double> tau;
};

inline int position_count(const RigidBody& body) { return body.joint == JointKind::kFree ? 7 : 1; }
inline int velocity_count(const RigidBody& body) { return body.joint == JointKind::kFree ? 6 : 1; }

inline int velocity_count(const Mechanism& mechanism) {
  int count = 0;
  for (const RigidBody& body : mechanism.bodies) count += velocity_count(body);
  return count;
}

}  // namespace kinloop::bench
