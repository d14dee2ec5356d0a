// The planar mechanisms made of four-bars: parallelograms of equal rods, x along each rod, all axes along z.
#include "bench/peers/closed_mechanisms.hpp"

#include <algorithm>
#include <cmath>

namespace kinloop::bench {
namespace {

constexpr double kLength_m = 1.0;
constexpr Vec3 kEnd_m{kLength_m, 0.0, 0.0};

RigidBody make_rod(const std::string& name, int parent, const Vec3& p_PA_m, const Vec3& p_BJ_m) {
  RigidBody rod;
  rod.name = name;
  rod.mass_kg = 1.0;
  rod.com_B_m = {kLength_m / 2, 0.0, 0.0};
  constexpr double kAcross_kgm2 = kLength_m * kLength_m / 12;
  rod.inertia_B_kgm2 = {{{0.001, 0, 0}, {0, kAcross_kgm2, 0}, {0, 0, kAcross_kgm2}}};
  rod.parent = parent;
  rod.p_PA_m = p_PA_m;
  rod.p_BJ_m = p_BJ_m;
  return rod;
}

Mechanism planar(const std::string& name) {
  Mechanism mechanism;
  mechanism.name = name;
  mechanism.gravity_W_mps2 = {0.0, -9.81, 0.0};
  return mechanism;
}

LoopClosure make_pin(const std::string& name, int predecessor, const Vec3& p_PA_m, int successor, const Vec3& p_SB_m) {
  return {name, LoopKind::kRevolute, predecessor, successor, p_PA_m, p_SB_m};
}

}  // namespace

Mechanism n_four_bar(int windows, Cut cut) {
  Mechanism mechanism =
      planar("n_four_bar" + std::to_string(windows) + (cut == Cut::kAtGround ? "_cut_ground" : "_cut_top"));
  mechanism.bodies.push_back(make_rod("bar0", -1, {}, {}));
  for (int i = 1; i <= windows; ++i) {
    const std::string number = std::to_string(i);
    const Vec3 bearing_m{i * kLength_m, 0.0, 0.0};
    const int coupler = 2 * i - 1, bar = 2 * i;
    mechanism.bodies.push_back(make_rod("coup" + number, coupler - 1, kEnd_m, {}));
    if (cut == Cut::kAtGround) {
      mechanism.bodies.push_back(make_rod("bar" + number, coupler, kEnd_m, kEnd_m));
      mechanism.loops.push_back(make_pin("A" + number, bar, {}, -1, bearing_m));
    } else {
      mechanism.bodies.push_back(make_rod("bar" + number, -1, bearing_m, {}));
      mechanism.loops.push_back(make_pin("C" + number, coupler, kEnd_m, bar, kEnd_m));
    }
  }
  return mechanism;
}

MotionState n_four_bar_state(int windows, double angle_rad, double rate_radps) {
  MotionState state;
  for (int i = 0; i <= 2 * windows; ++i) {
    const double sign = i % 2 == 0 ? 1.0 : -1.0;  // couplers stay level
    state.q.push_back(sign * angle_rad);
    state.v.push_back(sign * rate_radps);
    state.tau.push_back(0.0);
  }
  return state;
}

Mechanism four_bar_chain(int count) {
  Mechanism mechanism = planar("four_bar_chain" + std::to_string(count));
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    const int base = 3 * i - 2;  // the coupler of the one before
    mechanism.bodies.push_back(make_rod("left" + number, i == 0 ? -1 : base, {}, {}));
    mechanism.bodies.push_back(make_rod("coup" + number, 3 * i, kEnd_m, {}));
    mechanism.bodies.push_back(make_rod("right" + number, i == 0 ? -1 : base, kEnd_m, {}));
    mechanism.loops.push_back(make_pin("C" + number, 3 * i + 1, kEnd_m, 3 * i + 2, kEnd_m));
  }
  return mechanism;
}

MotionState four_bar_chain_state(int count, int index) {
  MotionState state;
  for (int i = 0; i < count; ++i) {
    const double angle_rad = 1.2 + 0.3 * std::sin(i + 1.7 * index), rate_radps = 0.5 * std::cos(2.3 * i + index);
    state.q.insert(state.q.end(), {angle_rad, -angle_rad, angle_rad});
    state.v.insert(state.v.end(), {rate_radps, -rate_radps, rate_radps});
    state.tau.insert(state.tau.end(), {0.0, 0.0, 0.0});
  }
  return state;
}

ClosedMechanism n_four_bar_with_states(int windows, Cut cut, int count) {
  ClosedMechanism out{n_four_bar(windows, cut), {}};
  for (int k = 0; k < count; ++k) out.states.push_back(n_four_bar_state(windows, 1.3 - 0.2 * k, -1.0 - 0.1 * k));
  return out;
}

ClosedMechanism four_bar_chain_with_states(int links, int count) {
  ClosedMechanism out{four_bar_chain(links), {}};
  for (int k = 0; k < count; ++k) out.states.push_back(four_bar_chain_state(links, k));
  return out;
}

std::vector<MotionState> at_rest(std::vector<MotionState> states) {
  for (MotionState& state : states) std::fill(state.v.begin(), state.v.end(), 0.0);
  return states;
}

}  // namespace kinloop::bench
