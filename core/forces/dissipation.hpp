// Owns the power that force elements turn into heat.
#pragma once

#include <array>
#include <string_view>

#include "core/forces/element_tangent.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// W, by what takes it. What elements store and give back is in spring_energy(): dissipation is the rest of what they
/// take from the motion, and negative only where an element creates energy.
struct Dissipation {
  double dampers = 0.0;   // of joints, springs and bushings
  double friction = 0.0;  // of joints and contacts, and digging
  double stops = 0.0;
  double contacts = 0.0;  // along the normals
  double ropes = 0.0;
  double total() const noexcept { return dampers + friction + stops + contacts + ropes; }
};

struct NamedLoss {
  std::string_view name;
  double Dissipation::*part;
};

inline constexpr std::array kNamedLosses = {
    NamedLoss{"dampers", &Dissipation::dampers}, NamedLoss{"friction", &Dissipation::friction},
    NamedLoss{"end stops", &Dissipation::stops}, NamedLoss{"contacts", &Dissipation::contacts},
    NamedLoss{"ropes", &Dissipation::ropes},
};

/// Of a point of a body, `arm` from the body's reference point.
Vec3 point_velocity(const Workspace& ws, int body, const Vec3& arm) noexcept;
/// Of a linear damper between two bodies.
double damper_W(const ElementTangent& element, const Workspace& ws) noexcept;

/// Needs update_kinematics() of the same q and v. No allocation.
Dissipation dissipation(const Model& model, const double* q, const double* v, const Workspace& ws) noexcept;

}  // namespace kinloop
