// Owns the energy of a test's simulation at its present state.
#pragma once

#include "core/dynamics/energy.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {

inline Energy energies_of(Simulation& simulation) {
  const State& state = simulation.state;
  update_kinematics(simulation.model, state, simulation.ws);
  return energy(simulation.model, state.q().data(), state.v().data(), simulation.ws);
}

inline double energy_of(Simulation& simulation) { return energies_of(simulation).total_J(); }

}  // namespace kinloop
