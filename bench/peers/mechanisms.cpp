// Owns the generators of the benchmark's mechanisms and states.
#include "bench/peers/mechanisms.hpp"

#include <cmath>

#include "bench/peers/small_math.hpp"

namespace kinloop::bench {
namespace {

// xorshift64*: written out so that the mechanisms are the same with every standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 1) {}

  double uniform(double low, double high) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    const std::uint64_t bits = (state_ * 0x2545F4914F6CDD1Dull) >> 11;
    return low + (high - low) * static_cast<double>(bits) * 0x1p-53;
  }

  Vec3 vector(double bound) {
    const double x = uniform(-bound, bound), y = uniform(-bound, bound), z = uniform(-bound, bound);
    return {x, y, z};
  }

  Quaternion quaternion() {
    for (;;) {
      const double w = uniform(-1, 1), x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(-1, 1);
      const double square = w * w + x * x + y * y + z * z;
      if (square < 0.01 || square > 1.0) continue;  // uniform on the sphere, and no small divisor
      const double scale = 1.0 / std::sqrt(square);
      return {w * scale, x * scale, y * scale, z * scale};
    }
  }

  Mat3 rotation() { return rotation_of(quaternion()); }

 private:
  std::uint64_t state_;
};

constexpr double kLinkLength_m = 0.3;

// The rotation that only renames axes and brings z onto x, y or z.
Mat3 axis_permutation(int axis) {
  constexpr Mat3 kZToX{{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
  constexpr Mat3 kZToY{{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
  if (axis == 0) return kZToX;
  if (axis == 1) return kZToY;
  return kIdentity3;
}

// A box-like link along x whose principal axes lie obliquely in the body: full inertia, triangle inequality holds.
RigidBody make_link(int index, int parent, Random& random) {
  RigidBody body;
  body.name = "b" + std::to_string(index);
  body.parent = parent;
  body.mass_kg = random.uniform(0.8, 1.2);
  body.com_B_m = add({0.5 * kLinkLength_m, 0.01, -0.02}, random.vector(0.01));
  const double x = kLinkLength_m, y = random.uniform(0.05, 0.08), z = random.uniform(0.04, 0.07);
  const double scale = body.mass_kg / 12.0;
  const Vec3 principal{scale * (y * y + z * z), scale * (x * x + z * z), scale * (x * x + y * y)};
  const Vec3 tilt = random.vector(0.1);
  const double norm = std::sqrt(1.0 + tilt[0] * tilt[0] + tilt[1] * tilt[1] + tilt[2] * tilt[2]);
  const Mat3 R = rotation_of({1.0 / norm, tilt[0] / norm, tilt[1] / norm, tilt[2] / norm});
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      double sum = 0.0;
      for (int k = 0; k < 3; ++k) sum += R[i][k] * principal[k] * R[j][k];
      body.inertia_B_kgm2[i][j] = body.inertia_B_kgm2[j][i] = sum;  // symmetric to the last bit
    }
  return body;
}

// Joins the body to its parent at `p_PA_m`; random frames also move the joint a little on both sides.
void place_joint(int axis, const Vec3& p_PA_m, Frames frames, Random& random, RigidBody& body) {
  body.p_PA_m = p_PA_m;
  if (frames == Frames::kAligned) {
    body.R_PA = body.R_BJ = axis_permutation(axis);
    return;
  }
  body.p_PA_m = add(p_PA_m, random.vector(0.03));
  body.p_BJ_m = random.vector(0.03);
  body.R_PA = random.rotation();
  body.R_BJ = random.rotation();
}

std::string with_frames(const std::string& name, Frames frames) {
  return name + (frames == Frames::kAligned ? "_aligned" : "_random");
}

}  // namespace

Mechanism serial_chain(int body_count, Frames frames) {
  Random random(11);
  Mechanism mechanism;
  mechanism.name = with_frames("chain" + std::to_string(body_count), frames);
  for (int i = 0; i < body_count; ++i) {
    RigidBody body = make_link(i, i - 1, random);
    place_joint(i % 3, i == 0 ? Vec3{} : Vec3{kLinkLength_m, 0, 0}, frames, random, body);
    mechanism.bodies.push_back(body);
  }
  return mechanism;
}

Mechanism binary_tree(int body_count, Frames frames) {
  Random random(22);
  Mechanism mechanism;
  mechanism.name = with_frames("tree" + std::to_string(body_count), frames);
  for (int i = 0; i < body_count; ++i) {
    RigidBody body = make_link(i, i == 0 ? -1 : (i - 1) / 2, random);
    const Vec3 p_PA_m{kLinkLength_m, i % 2 == 0 ? -0.05 : 0.05, 0};
    place_joint(i % 3, i == 0 ? Vec3{} : p_PA_m, frames, random, body);
    mechanism.bodies.push_back(body);
  }
  return mechanism;
}

Mechanism floating_humanoid(Frames frames) {
  Random random(33);
  Mechanism mechanism;
  mechanism.name = with_frames("floating36", frames);
  std::vector<RigidBody>& bodies = mechanism.bodies;
  bodies.push_back(make_link(0, -1, random));
  bodies.back().joint = JointKind::kFree;

  // Returns the last body of the limb.
  const auto add_limb = [&](int root, const Vec3& p_root_m, int joint_count) {
    int parent = root;
    for (int k = 0; k < joint_count; ++k) {
      const int index = static_cast<int>(bodies.size());
      RigidBody body = make_link(index, parent, random);
      place_joint(k % 3, k == 0 ? p_root_m : Vec3{kLinkLength_m, 0, 0}, frames, random, body);
      bodies.push_back(body);
      parent = index;
    }
    return parent;
  };
  add_limb(0, {0, 0.1, 0}, 6);
  add_limb(0, {0, -0.1, 0}, 6);
  const int chest = add_limb(0, {kLinkLength_m, 0, 0}, 3);
  add_limb(chest, {kLinkLength_m, 0.2, 0}, 7);
  add_limb(chest, {kLinkLength_m, -0.2, 0}, 7);
  add_limb(chest, {kLinkLength_m, 0, 0.1}, 1);
  return mechanism;
}

std::vector<Mechanism> benchmark_mechanisms() {
  std::vector<Mechanism> all;
  for (const Frames frames : {Frames::kAligned, Frames::kRandom}) {
    for (const int body_count : {2, 7, 30, 100, 300}) all.push_back(serial_chain(body_count, frames));
    for (const int body_count : {15, 63}) all.push_back(binary_tree(body_count, frames));
    all.push_back(floating_humanoid(frames));
  }
  return all;
}

std::vector<MotionState> random_states(const Mechanism& mechanism, int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<MotionState> states(static_cast<std::size_t>(count));
  for (MotionState& state : states) {
    for (const RigidBody& body : mechanism.bodies) {
      if (body.joint == JointKind::kFree) {
        for (const double x : random.vector(1.0)) state.q.push_back(x);
        for (const double x : random.quaternion()) state.q.push_back(x);
      } else {
        state.q.push_back(random.uniform(-1.0, 1.0));
      }
      for (int k = 0; k < velocity_count(body); ++k) {
        state.v.push_back(random.uniform(-1.0, 1.0));
        state.tau.push_back(random.uniform(-1.0, 1.0));
      }
    }
  }
  return states;
}

}  // namespace kinloop::bench
