// Signs of the changes of each speed, and turns of bodies, step by step.
#include "core/integrators/step_watch.hpp"

#include <bit>
#include <cmath>

#include "core/base/at.hpp"
#include "core/integrators/free_rotation.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop {
namespace {

constexpr double kLeastChange = 1e-3;  // rad/s or m/s in a step: less is nobody's trouble
constexpr int kCoarseReversals = 30;   // in 32 steps: noise of a command does that in one of ten million

}  // namespace

std::vector<char> gyrating_bodies(const Model& model, const Workspace& ws) {
  constexpr double kParallel = 1e-9;
  std::vector<char> gyrates(at(model.body_count()), 0);
  std::vector<Vec3> axis(gyrates.size());  // about which all joints inboard of a body turn
  for (const int k : model.quaternion_bodies()) gyrates[at(k)] = 1;
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    const auto b = at(k);
    const auto parent = at(body.parent);
    if (gyrates[parent] != 0) gyrates[b] = 1;
    axis[b] = axis[parent];
    for (int i = body.v; i < body.v + body.nv; ++i) {
      const Vec3& turns = ws.Hw[at(i)];
      const double size = std::sqrt(dot(turns, turns));
      if (size <= kParallel) continue;
      if (dot(axis[b], axis[b]) == 0.0) axis[b] = (1.0 / size) * turns;
      const Vec3 across = cross(axis[b], turns);
      if (std::sqrt(dot(across, across)) > kParallel * size) gyrates[b] = 1;
    }
  }
  return gyrates;
}

StepWatch::StepWatch(const Model& model)
    : last_v_(VectorX::Zero(model.nv())),
      last_change_(last_v_),
      reversals_(at(model.nv()), 0),
      before_v_(last_v_),
      before_change_(last_v_) {
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  const std::vector<char> gyrates = gyrating_bodies(model, ws);
  const FreeRotation drift(model);
  for (int k = 1; k < model.body_count(); ++k) {
    if (gyrates[at(k)] != 0) spins_.push_back({k, !drift.is_for(k), kFastSpin});
  }
}

void StepWatch::bound_rough_spins() noexcept {
  for (Spin& spin : spins_) spin.max_rad = spin.is_rough ? kCoarseSpin : kFastSpin;
}

void StepWatch::look(const State& state, const Workspace& ws, double dt_s) noexcept {
  if (state.time_s() == time_s_) {
    last_v_ = before_v_;
    last_change_ = before_change_;
    report_ = before_;
    for (std::uint32_t& bits : reversals_) bits >>= 1U;
  } else {
    time_s_ = state.time_s();
    before_v_ = last_v_;
    before_change_ = last_change_;
    before_ = report_;
  }
  bool is_coarse = false;
  for (int i = 0; i < last_v_.size(); ++i) {
    const double change = state.v()[i] - last_v_[i];
    const bool reverses = change * last_change_[i] < 0.0 && std::abs(change) > kLeastChange;
    std::uint32_t& bits = reversals_[at(i)];
    bits = bits << 1U | (reverses ? 1U : 0U);
    last_v_[i] = state.v()[i];
    last_change_[i] = change;
    if (std::popcount(bits) < kCoarseReversals) continue;
    is_coarse = true;
    report_.speed = i;
  }
  for (const Spin& spin : spins_) {
    const Vec3& w = ws.motion[at(spin.body)].w;
    const double turn2 = dt_s * dt_s * dot(w, w);
    if (!(turn2 > spin.max_rad * spin.max_rad)) continue;
    is_coarse = true;
    if (!(turn2 > report_.turn_rad * report_.turn_rad)) continue;
    report_.turn_rad = std::sqrt(turn2);
    report_.body = spin.body;
  }
  if (is_coarse) ++report_.steps;
}

}  // namespace kinloop
