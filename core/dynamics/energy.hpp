// Owns energy, momentum and mass of a mechanism, from the kinematic sweep.
#pragma once

#include "core/kinematics/workspace.hpp"

namespace kinloop {

struct Energy {
  double kinetic_J = 0.0;
  double potential_J = 0.0;  // gravity (zero at the world's origin), springs, end stops, bushings
  double total_J() const noexcept { return kinetic_J + potential_J; }
};

/// Needs update_kinematics() for this q and v.
Energy energy(const Model& model, const double* q, const double* v, const Workspace& ws) noexcept;

struct Momentum {
  Vector3 linear = Vector3::Zero();
  Vector3 angular = Vector3::Zero();  // about the world's origin
};

/// Of the bodies; the spin of geared rotors is not part of it.
Momentum momentum(const Model& model, const Workspace& ws) noexcept;

struct MassCentre {
  double mass_kg = 0.0;
  Vector3 position = Vector3::Zero();  // world
};

MassCentre mass_centre(const Model& model, const Workspace& ws) noexcept;

}  // namespace kinloop
