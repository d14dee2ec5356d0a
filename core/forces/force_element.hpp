// Owns ForceElementKind: what others may know about a kind of force element, as data of one table.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/forces/dissipation.hpp"
#include "core/forces/element_tangent.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

class ForceSlopes;
class TangentSum;

/// What acts on one side only begins and ceases to act within a step.
struct OneSided {
  /// Writes which of them act, 1 or 0 for each of count(). Needs update_positions() where `by_places` says so.
  void (*mark_acting)(const Model& model, const double* q, const double* v, const Workspace& ws, char* acts) noexcept;
  bool by_places = false;
  /// add_tangents() as if all of them acted, for analysis. Null where stop_tangent says it.
  void (*add_full_tangents)(const Model& model, const double* q, const double* v, const Workspace& ws, TangentSum& sum);
};

/// Each function treats all elements of its kind. Those of a step need update_kinematics() of the same q and v, and do
/// not allocate.
struct ForceElementKind {
  /// How many of them a model has.
  std::size_t (*count)(const Model& model) noexcept;
  /// Adds the bodies that they look at and push, in any order and more than once; allocates. Null: they act along
  /// joints alone.
  void (*add_bodies)(const Model& model, std::vector<int>& bodies);
  /// Adds what they do to ws.load and ws.tau.
  void (*add_forces)(const Model& model, const double* q, const double* v, Workspace& ws) noexcept;
  /// Adds what they store, J.
  void (*add_energy)(const Model& model, const double* q, const Workspace& ws, double& energy_J) noexcept;
  /// Adds how they oppose small motions.
  void (*add_tangents)(const Model& model, const double* q, const double* v, const Workspace& ws,
                       TangentSum& sum) noexcept;
  /// Adds how their forces change, exactly.
  void (*add_slopes)(const Model& model, const double* q, const double* v, const Workspace& ws,
                     ForceSlopes& sum) noexcept;
  /// Adds the power they turn into heat: - F . v - dE/dt, force times velocity less what the potential takes.
  void (*add_losses)(const Model& model, const double* q, const double* v, const Workspace& ws,
                     Dissipation& sum) noexcept;
  /// Stiffness and damping along a speed of what acts only at the end of its range; 0: there is none. Null: of none.
  JointTangent (*stop_tangent)(const Model& model, int speed) noexcept;
  /// Elements that act on one side only; of kinds without them all is null.
  OneSided one_sided = {};
};

/// In the order in which forces are summed.
std::span<const ForceElementKind* const> force_element_kinds() noexcept;

/// The entries of the table: each is defined in the file of its name.
namespace force_elements {

extern const ForceElementKind kJointForce;
extern const ForceElementKind kPointSpring;
extern const ForceElementKind kBushing;
extern const ForceElementKind kRope;
extern const ForceElementKind kContact;

}  // namespace force_elements
}  // namespace kinloop
