// Owns EnergyBalance: what an account of energy comes to.
#pragma once

#include <string_view>

#include "core/forces/dissipation.hpp"

namespace kinloop {

/// J, since the account began. kinetic + gravity + elastic = what they were at the start + all work - dissipated +
/// rest.
struct EnergyBalance {
  double since_s = 0.0;  // time of the state with which it began
  double kinetic_J = 0.0;
  double gravity_J = 0.0;     // zero at the world's origin
  double elastic_J = 0.0;     // springs, bushings, stops, ropes, contacts; and what constant joint forces may still do
  Dissipation dissipated;     // J
  double actuators_J = 0.0;   // work of forces along the speeds
  double drives_J = 0.0;      // of what moves joints with a prescribed motion
  double outside_J = 0.0;     // of forces on bodies, and of constant torques that turn with a body
  double projection_J = 0.0;  // of closing the loops after each step
  /// What none of them explains: what the integrator adds or loses. Zero to its order.
  double rest_J = 0.0;
  /// The largest change of a store, sum of losses or work so far: what rest_J compares to.
  double exchanged_J = 0.0;
};

/// An entry that gave the mechanism energy which nothing paid for.
struct EnergySource {
  std::string_view name;
  double created_J = 0.0;
};

/// The largest of: the integrator, the projection, and each kind of element that should only take. None: 0 J.
EnergySource largest_source(const EnergyBalance& balance) noexcept;

}  // namespace kinloop
