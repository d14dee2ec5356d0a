// What is fastest: rates of the elements (motion_rates.hpp), end stops by the mobility along their speeds, spins.
#include "core/integrators/fastest_motion.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/at.hpp"
#include "core/forces/force_element.hpp"
#include "core/integrators/free_rotation.hpp"
#include "core/integrators/motion_rates.hpp"
#include "core/integrators/step_watch.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {
namespace {

constexpr int kMaxDenseSpeeds = 200;  // above them the matrices take longer than the iteration

/// Of all that stops a speed at the end of its range.
JointTangent stop_tangent(const Model& model, int speed) {
  JointTangent sum;
  for (const ForceElementKind* kind : force_element_kinds()) {
    if (kind->stop_tangent == nullptr) continue;
    const JointTangent stop = kind->stop_tangent(model, speed);
    sum.stiffness += stop.stiffness;
    sum.damping += stop.damping;
  }
  return sum;
}

}  // namespace

FastestMotion with_drives(FastestMotion motion, std::span<const Drive> drives) {
  motion.drive_per_s = 0.0;
  motion.drive = -1;
  if (motion.mobility.size() == 0) return motion;
  for (std::size_t d = 0; d < drives.size(); ++d) {
    const double rate_per_s = drives[d].damping * motion.mobility[drives[d].speed];
    if (rate_per_s <= motion.drive_per_s) continue;
    motion.drive_per_s = rate_per_s;
    motion.drive = static_cast<int>(d);
  }
  return motion;
}

FastestMotion fastest_motion(const Model& model, const State& state, const Workspace& ws,
                             std::span<const Drive> drives) {
  FastestMotion result;
  const std::vector<char> gyrates = gyrating_bodies(model, ws);
  const FreeRotation drift(model);
  for (const int k : model.quaternion_bodies()) {
    if (result.ball_body < 0 && !drift.is_for(k)) result.ball_body = k;
  }
  for (int k = 1; k < model.body_count(); ++k) {
    if (gyrates[at(k)] == 0) continue;
    const double turns_rad_s = ws.motion[at(k)].w.eigen().norm();
    if (turns_rad_s > result.rough_spin_rad_s && !drift.is_for(k)) {
      result.rough_spin_rad_s = turns_rad_s;
      result.rough_spin_body = k;
    }
    if (turns_rad_s <= result.spin_rad_s) continue;
    result.spin_rad_s = turns_rad_s;
    result.spin_body = k;
  }
  MotionRates rates = model.nv() <= kMaxDenseSpeeds ? dense_rates(model, state, ws) : iterated_rates(model, state);
  result.regular = rates.regular;
  if (!rates.regular || rates.mobility.size() == 0) return result;
  result.frequency_rad_s = std::sqrt(std::max(0.0, rates.springs.value));
  result.frequency_speed = rates.springs.speed;
  result.decay_per_s = rates.dampers.value;
  result.decay_speed = rates.dampers.speed;
  result.touch_rad_s = std::sqrt(std::max(0.0, rates.touch_springs.value));
  result.touch_decay_per_s = rates.touch_dampers.value;
  result.touch_speed = rates.touch_springs.speed;
  result.element_rad_s = std::sqrt(std::max(0.0, rates.elements.value));
  result.element_speed = rates.elements.speed;
  result.mobility = std::move(rates.mobility);
  for (int i = 0; i < model.nv(); ++i) {
    const JointTangent stop = stop_tangent(model, i);
    const double mobility = std::max(0.0, result.mobility[i]);
    if (const double frequency = std::sqrt(stop.stiffness * mobility); frequency > result.stop_rad_s) {
      result.stop_rad_s = frequency;
      result.stop_speed = i;
    }
    if (const double decay = stop.damping * mobility; decay > result.stop_decay_per_s) {
      result.stop_decay_per_s = decay;
      result.stop_decay_speed = i;
    }
  }
  return with_drives(std::move(result), drives);
}

FastestMotion fastest_at_start(const Model& model, std::span<const Drive> drives) {
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  update_loop_constraints(model, state, ws);
  return fastest_motion(model, state, ws, drives);
}

}  // namespace kinloop
