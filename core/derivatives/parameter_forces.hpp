// Owns ParameterForces: how the forces that a motion takes change with parameters of the model, the motion being held.
//
// For parameters that leave all positions as they are: inertia, springs, dampers, friction, ropes, contacts. At a held
// motion the forces M a + h - Q are linear in most of them and of the second degree in the others (centres of mass), so
// that inverse dynamics of models to both sides, extrapolated, gives the derivative to rounding: no step is repeated.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/forces/loads.hpp"
#include "core/forces/tangent_force.hpp"
#include "core/kinematics/composite_inertia.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// One model with a parameter moved to both sides, by `step` and by half of it.
struct ParameterModels {
  Model up, down, half_up, half_down;
  double step = 0.0;
};

/// Whether all positions, velocities and loops of two models are the same numbers for the same coordinates.
bool moves_alike(const Model& a, const Model& b) noexcept;

class ParameterForces {
 public:
  /// The models must outlive it, and move alike.
  explicit ParameterForces(const std::vector<std::unique_ptr<ParameterModels>>& parameters);

  Eigen::Index count() const noexcept { return static_cast<Eigen::Index>(variants_.size()); }

  /// A motion: coordinates, speeds and accelerations of the speeds, driven ones included.
  struct Motion {
    const double* q;
    const double* v;
    double time_s;
    const VectorX& vdot;
  };

  /// Subtracts from the last count() columns what the forces of the motion gain. No allocation.
  void subtract(const Motion& motion, const Loads& loads, MatrixX& force) noexcept;
  /// The same for an implicit step, whose force elements hold K x + C y besides.
  void subtract(const Motion& motion, const Loads& loads, const VectorX& x, const VectorX& y, MatrixX& force) noexcept;
  /// What the inertia gains, times s; at positions q.
  void subtract_inertia(const double* q, double time_s, const VectorX& s, MatrixX& force) noexcept;
  /// What K x + C y gain.
  void subtract_tangents(const double* q, const double* v, double time_s, const VectorX& x, const VectorX& y,
                         MatrixX& force) noexcept;

 private:
  struct Variant {
    const Model* model;
    Workspace ws;
    TangentForce tangents;
  };
  struct Parameter {
    std::vector<Variant> sides;  // up, down, half up, half down
    double step;
  };
  template <class Force>
  void subtract_slopes(MatrixX& force, Force&& of) noexcept;
  void find_forces(Variant& of, const Motion& motion, const Loads& loads, VectorX& result) noexcept;

  std::vector<Parameter> variants_;
  std::vector<SpatialVector> wrench_;
  std::vector<CompositeInertia> composite_;
  MatrixX M_;
  VectorX none_;
  std::array<VectorX, 4> side_;
};

}  // namespace kinloop
