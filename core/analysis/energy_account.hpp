// Owns EnergyAccount: where the energy of a motion goes, step by step.
#pragma once

#include "core/dynamics/energy.hpp"
#include "core/forces/dissipation.hpp"
#include "core/model/state.hpp"

namespace kinloop {

/// J, since the account began. kinetic + gravity + elastic = what they were at the start + work - dissipated + rest.
struct EnergyBalance {
  double kinetic_J = 0.0;
  double gravity_J = 0.0;  // zero at the world's origin
  double elastic_J = 0.0;  // springs, bushings, stops, ropes, contacts; and what constant joint forces may still do
  Dissipation dissipated;  // J
  double work_J = 0.0;     // of actuators, drives and forces from outside
  /// What none of them explains: errors of the integrator, the closing of loops, and of the account itself, whose
  /// integrals are of the second order. What creates energy shows up here as positive.
  double rest_J = 0.0;
  double exchanged_J =
      0.0;  // the largest change of one of the stores, or sum of losses or work: what rest_J compares to
};

class EnergyAccount {
 public:
  EnergyAccount(const Model& model, const State& start);

  /// After each step, with the work of the forces along the speeds and on the bodies in it.
  void add(const State& state, double work_J);

  const EnergyBalance& balance() const noexcept { return balance_; }

 private:
  struct Now {
    double kinetic_J, gravity_J, elastic_J;
    Dissipation losses;  // W
    double time_s;
  };
  Now look(const State& state);

  const Model& model_;
  Workspace ws_;
  Now start_, last_;
  EnergyBalance balance_;
};

}  // namespace kinloop
