// Names contacts, stops, ropes, limits and valves that stand at the edge between two branches.
#include "core/analysis/branch_warnings.hpp"

#include <cmath>

#include "core/actuators/actuator_type.hpp"
#include "core/base/at.hpp"
#include "core/forces/contact.hpp"
#include "core/forces/joint_forces.hpp"
#include "core/forces/rope.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop {
namespace {

/// Nearer than this (relative) is on the edge.
bool is_on_edge(double distance, double size) { return std::abs(distance) <= 1e-9 * (1.0 + std::abs(size)); }

void add_commands(const Plant& plant, const StepInput& input, std::vector<std::string>& all) {
  for (std::size_t i = 0; i < plant.actuator_count(); ++i) {
    const ActuatorSpec& spec = plant.spec().actuators[i];
    const double command = input.command[i];
    if (is_on_edge(command - spec.chain.lower, command) || is_on_edge(command - spec.chain.upper, command)) {
      all.push_back(spec.name + ": these are the matrices of the side within its limit");
    }
    const CommandShape shape = actuator_type(spec.kind).command(spec);
    if (shape.full == 0.0) continue;
    if (is_on_edge(std::abs(command) - shape.dead_band, command)) {
      all.push_back(spec.name + ": its valve just begins to open; these are the matrices of the side that " +
                    (command > 0.0 ? "extends" : "retracts"));
    }
  }
}

void add_elements(const Model& model, const State& state, std::vector<std::string>& all) {
  for (int i = 0; i < model.nv(); ++i) {
    const CoordinateConstants& c = model.coordinate(i);
    if (!c.limited || c.motion >= 0) continue;
    const double q = state.q()[c.q];
    if (!is_on_edge(q - c.lower, q) && !is_on_edge(q - c.upper, q)) continue;
    all.push_back("q." + model.speed_name(i) + ": an end stop is just touched; these are the matrices of the side on " +
                  "which it " + (stop_pushes(c, q, state.v()[i]) ? "pushes" : "does not push"));
  }
  if (model.contact_points().empty() && model.ropes().empty()) return;
  Workspace ws(model);
  update_kinematics(model, state, ws);
  for (const ContactPoint& point : model.contact_points()) {
    const double depth_m = touch_of(model, point, ws).depth_m;
    if (!is_on_edge(depth_m / model.length_m(), 0.0)) continue;
    all.push_back(model.spec().contacts[at(point.contact)].name + ": is just touched; these are the matrices of the " +
                  "side on which it " + (depth_m > 0.0 ? "is pressed" : "is free"));
  }
  for (const Rope& rope : model.ropes()) {
    const RopeState now = rope_state(rope, state.q().data(), state.v().data(), ws);
    const double stretch_m = now.length_m - now.rest_length_m;
    if (!is_on_edge(stretch_m / model.length_m(), 0.0)) continue;
    all.push_back(rope.name + ": is just taut; these are the matrices of the side on which it " +
                  (stretch_m > 0.0 ? "pulls" : "is slack"));
  }
}

}  // namespace

std::vector<std::string> branch_warnings(Plant& plant, const State& state, const StepInput& input) {
  std::vector<std::string> all;
  add_commands(plant, input, all);
  add_elements(plant.model(), state, all);
  return all;
}

}  // namespace kinloop
