// Poses and velocities of all bodies, parents first.
#include "bench/peers/neutral_kinematics.hpp"

#include <algorithm>

#include "bench/peers/small_math.hpp"

namespace kinloop::bench {
namespace {

struct BodyMotion {
  Mat3 R = kIdentity3;  // axes of B in the world
  Vec3 p_m{};           // origin of B
  Vec3 omega{}, v{};    // of B and of its origin, world axes
};

// Motion of J in A.
struct JointMotion {
  Mat3 R = kIdentity3;
  Vec3 p_m{}, omega{}, v{};
};

Mat3 about_x(double a) { return {{{1, 0, 0}, {0, std::cos(a), -std::sin(a)}, {0, std::sin(a), std::cos(a)}}}; }
Mat3 about_y(double a) { return {{{std::cos(a), 0, std::sin(a)}, {0, 1, 0}, {-std::sin(a), 0, std::cos(a)}}}; }
Mat3 about_z(double a) { return {{{std::cos(a), -std::sin(a), 0}, {std::sin(a), std::cos(a), 0}, {0, 0, 1}}}; }

JointMotion joint_motion(JointKind kind, const double* q, const double* v) {
  switch (kind) {
    case JointKind::kRevolute:
      return {about_z(q[0]), {}, {0, 0, v[0]}, {}};
    case JointKind::kPrismatic:
      return {kIdentity3, {0, 0, q[0]}, {}, {0, 0, v[0]}};
    case JointKind::kUniversal: {
      const Mat3 first = about_x(q[0]);
      return {multiply(first, about_y(q[1])), {}, add({v[0], 0, 0}, multiply(first, Vec3{0, v[1], 0})), {}};
    }
    case JointKind::kFree: {
      const Mat3 R = rotation_of({q[3], q[4], q[5], q[6]});
      return {R, {q[0], q[1], q[2]}, multiply(R, Vec3{v[3], v[4], v[5]}), {v[0], v[1], v[2]}};
    }
  }
  return {};
}

std::vector<BodyMotion> body_motions(const Mechanism& mechanism, const MotionState& state) {
  std::vector<BodyMotion> motions;
  const double *q = state.q.data(), *v = state.v.data();
  for (const RigidBody& body : mechanism.bodies) {
    const BodyMotion parent = body.parent < 0 ? BodyMotion{} : motions[static_cast<std::size_t>(body.parent)];
    const JointMotion joint = joint_motion(body.joint, q, v);
    q += position_count(body), v += velocity_count(body);
    const Mat3 R_WA = multiply(parent.R, body.R_PA);
    const Vec3 arm = add(multiply(parent.R, body.p_PA_m), multiply(R_WA, joint.p_m));  // to the origin of J
    BodyMotion motion;
    motion.R = multiply(multiply(R_WA, joint.R), transpose(body.R_BJ));
    motion.omega = add(parent.omega, multiply(R_WA, joint.omega));
    const Vec3 back = multiply(motion.R, body.p_BJ_m);
    motion.p_m = subtract(add(parent.p_m, arm), back);
    motion.v =
        subtract(add(add(parent.v, cross(parent.omega, arm)), multiply(R_WA, joint.v)), cross(motion.omega, back));
    motions.push_back(motion);
  }
  return motions;
}

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

}  // namespace

double loop_gap_m(const Mechanism& mechanism, const MotionState& state) {
  const std::vector<BodyMotion> motions = body_motions(mechanism, state);
  const auto point = [&](int body, const Vec3& p_m) {
    if (body < 0) return p_m;
    const BodyMotion& motion = motions[static_cast<std::size_t>(body)];
    return add(motion.p_m, multiply(motion.R, p_m));
  };
  double largest_m = 0.0;
  for (const LoopClosure& loop : mechanism.loops) {
    const Vec3 gap = subtract(point(loop.predecessor, loop.p_PA_m), point(loop.successor, loop.p_SB_m));
    largest_m = std::max(largest_m, std::sqrt(dot(gap, gap)));
  }
  return largest_m;
}

double total_energy_J(const Mechanism& mechanism, const MotionState& state) {
  const std::vector<BodyMotion> motions = body_motions(mechanism, state);
  double energy_J = 0.0;
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const RigidBody& body = mechanism.bodies[i];
    const BodyMotion& motion = motions[i];
    const Vec3 arm = multiply(motion.R, body.com_B_m);
    const Vec3 v_com = add(motion.v, cross(motion.omega, arm));
    const Vec3 omega_B = multiply(transpose(motion.R), motion.omega);
    energy_J += 0.5 * body.mass_kg * dot(v_com, v_com) + 0.5 * dot(omega_B, multiply(body.inertia_B_kgm2, omega_B)) -
                body.mass_kg * dot(mechanism.gravity_W_mps2, add(motion.p_m, arm));
  }
  return energy_J;
}

}  // namespace kinloop::bench
