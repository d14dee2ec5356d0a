// The hexapod: a free platform, six legs of barrel and rod, closed by balls. Numbers of stewart_platform.yaml.
#include <cmath>
#include <numbers>

#include "bench/peers/closed_mechanisms.hpp"
#include "bench/peers/small_math.hpp"

namespace kinloop::bench {
namespace {

constexpr int kLegs = 6;
constexpr double kBaseRadius_m = 1.75, kTopRadius_m = 1.45, kHeight_m = 1.45;
constexpr double kCabinMass_kg = 1500, kBarrelMass_kg = 60, kRodMass_kg = 25;
constexpr double kBarrel_m = 1.1, kRod_m = 1.3;

double radians(double degrees) { return degrees * std::numbers::pi / 180.0; }

// Legs 1 and 2, 3 and 4, 5 and 6 stand close together on the floor; 2 and 3, 4 and 5, 6 and 1 at the platform.
Vec3 base_point(int leg) {
  const double angle = radians(120.0 * (leg / 2) + (leg % 2 == 0 ? -8.0 : 8.0));
  return {kBaseRadius_m * std::cos(angle), kBaseRadius_m * std::sin(angle), 0.0};
}

Vec3 top_point(int leg) {
  const double angle = radians(120.0 * (leg / 2) + (leg % 2 == 0 ? -53.0 : 53.0));
  return {kTopRadius_m * std::cos(angle), kTopRadius_m * std::sin(angle), 0.0};
}

double norm(const Vec3& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

Vec3 scaled(double factor, const Vec3& a) { return {factor * a[0], factor * a[1], factor * a[2]}; }

// Columns x, y, z with z from the base to the top at the level position.
Mat3 leg_frame(int leg) {
  const Vec3 along = subtract(add(top_point(leg), {0, 0, kHeight_m}), base_point(leg));
  const Vec3 z = scaled(1.0 / norm(along), along);
  const Vec3 level = cross({0, 1, 0}, z);
  const Vec3 x = scaled(1.0 / norm(level), level);
  return transpose({x, cross(z, x), z});
}

Mat3 slender(double mass_kg, double length_m, double along_kgm2) {
  const double across = mass_kg * length_m * length_m / 12;
  return {{{across, 0, 0}, {0, across, 0}, {0, 0, along_kgm2}}};
}

// Coordinates of a leg whose ball is at `s` in the frame of its universal joint, and their rates: s = L Rx(a) Ry(b) z.
struct LegMotion {
  double a, b, length_m, a_rate, b_rate, length_rate;
};

LegMotion leg_motion(const Vec3& s, const Vec3& s_rate) {
  LegMotion out{};
  out.length_m = norm(s);
  out.length_rate = (s[0] * s_rate[0] + s[1] * s_rate[1] + s[2] * s_rate[2]) / out.length_m;
  out.a = std::atan2(-s[1], s[2]);
  out.b = std::asin(s[0] / out.length_m);
  out.a_rate = (s[1] * s_rate[2] - s[2] * s_rate[1]) / (s[1] * s[1] + s[2] * s[2]);
  out.b_rate = (s_rate[0] - out.length_rate * s[0] / out.length_m) / (out.length_m * std::cos(out.b));
  return out;
}

}  // namespace

Mechanism stewart_platform() {
  Mechanism mechanism;
  mechanism.name = "stewart_platform";
  RigidBody platform;
  platform.name = "platform";
  platform.mass_kg = kCabinMass_kg;
  platform.com_B_m = {0, 0, 0.7};
  platform.inertia_B_kgm2 = {{{1100, 0, 0}, {0, 1100, 0}, {0, 0, 1300}}};
  platform.joint = JointKind::kFree;
  mechanism.bodies.push_back(platform);
  for (int leg = 0; leg < kLegs; ++leg) {
    const std::string number = std::to_string(leg + 1);
    RigidBody barrel;
    barrel.name = "barrel" + number;
    barrel.mass_kg = kBarrelMass_kg;
    barrel.com_B_m = {0, 0, kBarrel_m / 2};
    barrel.inertia_B_kgm2 = slender(kBarrelMass_kg, kBarrel_m, 0.3);
    barrel.joint = JointKind::kUniversal;
    barrel.R_PA = leg_frame(leg);
    barrel.p_PA_m = base_point(leg);
    mechanism.bodies.push_back(barrel);

    RigidBody rod;
    rod.name = "rod" + number;
    rod.mass_kg = kRodMass_kg;
    rod.com_B_m = {0, 0, -kRod_m / 2};
    rod.inertia_B_kgm2 = slender(kRodMass_kg, kRod_m, 0.05);
    rod.joint = JointKind::kPrismatic;
    rod.parent = 2 * leg + 1;
    mechanism.bodies.push_back(rod);
    mechanism.loops.push_back({"ball" + number, LoopKind::kBall, 0, 2 * leg + 2, top_point(leg), {}});
  }
  return mechanism;
}

MotionState stewart_platform_state(int index) {
  const double k = index;
  const Vec3 p_m{0.1 * std::sin(k), 0.08 * std::cos(k), kHeight_m + 0.05 * std::sin(2 * k)};
  const Vec3 tilt{0.05 * std::cos(k), -0.04, 0.06 * std::sin(k)};  // vector part of the quaternion
  const Quaternion quat{std::sqrt(1 - tilt[0] * tilt[0] - tilt[1] * tilt[1] - tilt[2] * tilt[2]), tilt[0], tilt[1],
                        tilt[2]};
  const Vec3 v_mps{0.3, -0.2 * std::cos(k), 0.25}, omega_B{0.2, 0.3 * std::sin(k + 1), -0.25};
  const Mat3 R = rotation_of(quat);

  MotionState state;
  state.q = {p_m[0], p_m[1], p_m[2], quat[0], quat[1], quat[2], quat[3]};
  state.v = {v_mps[0], v_mps[1], v_mps[2], omega_B[0], omega_B[1], omega_B[2]};
  state.tau.assign(6, 0.0);
  for (int leg = 0; leg < kLegs; ++leg) {
    const Vec3 arm_B = top_point(leg);
    const Mat3 to_leg = transpose(leg_frame(leg));
    const Vec3 s = multiply(to_leg, subtract(add(p_m, multiply(R, arm_B)), base_point(leg)));
    const Vec3 s_rate = multiply(to_leg, add(v_mps, multiply(R, cross(omega_B, arm_B))));
    const LegMotion motion = leg_motion(s, s_rate);
    state.q.insert(state.q.end(), {motion.a, motion.b, motion.length_m});
    state.v.insert(state.v.end(), {motion.a_rate, motion.b_rate, motion.length_rate});
    const double share_N = (kCabinMass_kg / kLegs + kRodMass_kg) * 9.81 * motion.length_m / kHeight_m;
    state.tau.insert(state.tau.end(), {0.0, 0.0, share_N + 200.0 * std::sin(leg + k)});
  }
  return state;
}

ClosedMechanism stewart_platform_with_states(int count) {
  ClosedMechanism out{stewart_platform(), {}};
  for (int k = 0; k < count; ++k) out.states.push_back(stewart_platform_state(k));
  return out;
}

}  // namespace kinloop::bench
