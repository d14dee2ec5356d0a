// Implements the forces along joint coordinates.
#include "core/forces/joint_forces.hpp"

#include <algorithm>
#include <cmath>

#include "core/forces/force_element.hpp"
#include "core/forces/force_slopes.hpp"
#include "core/forces/tangent_sum.hpp"

namespace kinloop {
namespace {

/// How far q has gone into an end stop: negative below, positive above, zero inside the range.
double penetration(const CoordinateConstants& c, double q) noexcept {
  return c.limited ? q - std::clamp(q, c.lower, c.upper) : 0.0;
}

}  // namespace

double joint_force(const CoordinateConstants& c, double q, double u) noexcept {
  double force = c.force - c.damping * u;
  if (c.stiffness != 0.0) force -= c.stiffness * (q - c.rest);
  if (c.dry_friction != 0.0) force -= c.dry_friction * std::tanh(u / c.friction_speed);
  if (stop_pushes(c, q, u)) force -= c.limit_stiffness * penetration(c, q) + c.limit_damping * u;
  return force;
}

bool stop_pushes(const CoordinateConstants& c, double q, double u) noexcept {
  const double depth = penetration(c, q);
  return (c.limit_stiffness * depth + c.limit_damping * u) * depth > 0.0;
}

JointTangent joint_tangent(const CoordinateConstants& c, double q, double u) noexcept {
  JointTangent tangent{std::max(c.stiffness, 0.0), c.damping};
  if (c.dry_friction != 0.0) {
    const double ratio = u / c.friction_speed;
    const double secant = std::abs(ratio) < 1e-4 ? 1.0 : std::tanh(ratio) / ratio;
    tangent.damping += c.dry_friction / c.friction_speed * secant;
  }
  if (stop_pushes(c, q, u)) {
    tangent.stiffness += c.limit_stiffness;
    tangent.damping += c.limit_damping;
  }
  return tangent;
}

double joint_damping_slope(const CoordinateConstants& c, double u) noexcept {
  if (c.dry_friction == 0.0) return 0.0;
  const double ratio = u / c.friction_speed;
  const double scale = c.dry_friction / (c.friction_speed * c.friction_speed);
  if (std::abs(ratio) < 1e-3) return scale * (-2.0 / 3.0) * ratio;
  const double tanh = std::tanh(ratio);
  return scale * ((1.0 - tanh * tanh) - tanh / ratio) / ratio;
}

JointForceSlope joint_force_slope(const CoordinateConstants& c, double q, double u) noexcept {
  JointForceSlope slope{-c.stiffness, -c.damping};
  if (c.dry_friction != 0.0) {
    const double cosh = std::cosh(u / c.friction_speed);
    slope.by_v -= c.dry_friction / c.friction_speed / (cosh * cosh);
  }
  if (stop_pushes(c, q, u)) {
    slope.by_q -= c.limit_stiffness;
    slope.by_v -= c.limit_damping;
  }
  return slope;
}

double joint_energy(const CoordinateConstants& c, double q) noexcept {
  const double stretch = q - c.rest;
  const double depth = penetration(c, q);
  return 0.5 * (c.stiffness * stretch * stretch + c.limit_stiffness * depth * depth) - c.force * q;
}

namespace {

void add_joint_losses(const CoordinateConstants& c, double q, double u, Dissipation& sum) noexcept {
  sum.dampers += c.damping * u * u;
  if (c.dry_friction != 0.0) sum.friction += c.dry_friction * std::tanh(u / c.friction_speed) * u;
  if (!c.limited) return;
  const double depth = q - std::clamp(q, c.lower, c.upper);
  const double push = stop_pushes(c, q, u) ? c.limit_stiffness * depth + c.limit_damping * u : 0.0;
  sum.stops += (push - c.limit_stiffness * depth) * u;
}

}  // namespace

constinit const ForceElementKind force_elements::kJointForce = {
    [](const Model& model) noexcept { return model.loaded_speeds().size(); },
    nullptr,
    [](const Model& model, const double* q, const double* v, Workspace& ws) noexcept {
      for (const int i : model.loaded_speeds()) {
        const CoordinateConstants& c = model.coordinate(i);
        ws.tau[i] += joint_force(c, c.q >= 0 ? q[c.q] : 0.0, v[i]);
      }
    },
    [](const Model& model, const double* q, const Workspace& /*ws*/, double& energy_J) noexcept {
      for (const int i : model.loaded_speeds()) {
        const CoordinateConstants& c = model.coordinate(i);
        if (c.q >= 0) energy_J += joint_energy(c, q[c.q]);
      }
    },
    [](const Model& model, const double* q, const double* v, const Workspace& /*ws*/, TangentSum& sum) noexcept {
      for (const int i : model.loaded_speeds()) {
        const CoordinateConstants& c = model.coordinate(i);
        sum.add_along(i, joint_tangent(c, c.q >= 0 ? q[c.q] : 0.0, v[i]));
      }
    },
    [](const Model& model, const double* q, const double* v, const Workspace& /*ws*/, ForceSlopes& sum) noexcept {
      for (const int i : model.loaded_speeds()) {
        const CoordinateConstants& c = model.coordinate(i);
        const JointForceSlope slope = joint_force_slope(c, c.q >= 0 ? q[c.q] : 0.0, v[i]);
        sum.add_along(i, slope.by_q, slope.by_v);
      }
    },
    [](const Model& model, const double* q, const double* v, const Workspace& /*ws*/, Dissipation& sum) noexcept {
      for (const int i : model.loaded_speeds()) {
        const CoordinateConstants& c = model.coordinate(i);
        add_joint_losses(c, c.q >= 0 ? q[c.q] : 0.0, v[i], sum);
      }
    },
    [](const Model& model, int speed) noexcept {
      const CoordinateConstants& c = model.coordinate(speed);
      return c.limited ? JointTangent{c.limit_stiffness, c.limit_damping} : JointTangent{};
    },
    {[](const Model& model, const double* q, const double* v, const Workspace& /*ws*/, char* acts) noexcept {
       for (const int i : model.loaded_speeds()) {
         const CoordinateConstants& c = model.coordinate(i);
         *acts++ = c.limited && stop_pushes(c, q[c.q], v[i]) ? 1 : 0;
       }
     },
     false, nullptr}};

}  // namespace kinloop
