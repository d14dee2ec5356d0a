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

enum class JointKind { kRevolute, kPrismatic, kUniversal, kFree };

/// A body and the joint that carries it; the joint frame is A on the parent and J on the body.
struct RigidBody {
  std::string name;
  double mass_kg = 1.0;
  Vec3 com_B_m{};                    // centre of mass from the origin of B
  Mat3 inertia_B_kgm2 = kIdentity3;  // about the centre of mass, axes of B
  int parent = -1;                   // -1: ground; otherwise smaller than this body's own index
  JointKind joint = JointKind::kRevolute;
  // A revolute joint turns J about the common z of A and J, a prismatic joint moves it along z, a universal joint turns
  // it about x of A, then about its own y. A free joint has identity frames and stands on ground.
  Mat3 R_PA = kIdentity3;
  Vec3 p_PA_m{};
  Mat3 R_BJ = kIdentity3;
  Vec3 p_BJ_m{};
};

enum class LoopKind { kRevolute, kBall };

/// A joint that closes a loop at frame A on one body and B on another; a revolute one turns about their common z.
struct LoopClosure {
  std::string name;
  LoopKind kind = LoopKind::kBall;
  int predecessor = -1, successor = -1;  // -1: ground
  Vec3 p_PA_m{}, p_SB_m{};
};

/// A tree of bodies, parents before children, and what closes loops in it.
struct Mechanism {
  std::string name;
  Vec3 gravity_W_mps2{0.0, 0.0, -9.81};
  std::vector<RigidBody> bodies;
  std::vector<LoopClosure> loops;
};

/// One state and load, body after body. Revolute: angle, rate, torque. Prismatic: distance, speed, force. Universal:
/// both angles, rates, torques. Free: position of B in the ground's axes and quaternion wxyz; d(position)/dt in the
/// ground's axes and angular velocity in B's; force in the ground's axes at B's origin and torque in B's (the power
/// conjugates of the velocity).
struct MotionState {
  std::vector<double> q;
  std::vector<double> v;
  std::vector<double> tau;
};

inline int velocity_count(const RigidBody& body) {
  if (body.joint == JointKind::kFree) return 6;
  return body.joint == JointKind::kUniversal ? 2 : 1;
}

inline int position_count(const RigidBody& body) { return body.joint == JointKind::kFree ? 7 : velocity_count(body); }

inline int velocity_count(const Mechanism& mechanism) {
  int count = 0;
  for (const RigidBody& body : mechanism.bodies) count += velocity_count(body);
  return count;
}

}  // namespace kinloop::bench
