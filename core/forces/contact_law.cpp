// Normal force and friction of firm planes, bearing and digging of soil, and their derivatives.
#include "core/forces/contact_law.hpp"

#include <algorithm>
#include <cmath>

namespace kinloop {
namespace {

/// limit tanh(s / s0) / s.
double smoothed_drag(double limit_N, double speed_m_s, double smoothing_m_s) noexcept {
  const double ratio = speed_m_s / smoothing_m_s;
  const double secant = ratio < 1e-4 ? 1.0 : std::tanh(ratio) / ratio;
  return limit_N / smoothing_m_s * secant;
}

/// Its derivative by s.
double smoothed_drag_slope(double limit_N, double speed_m_s, double smoothing_m_s) noexcept {
  const double ratio = speed_m_s / smoothing_m_s;
  const double per_square = limit_N / (smoothing_m_s * smoothing_m_s);
  if (ratio < 1e-2) return per_square * ratio * (-2.0 / 3.0 + ratio * ratio * (8.0 / 15.0));
  const double tanh = std::tanh(ratio);
  return per_square * ((1.0 - tanh * tanh) - tanh / ratio) / ratio;
}

PlaneForce firm_force(const Plane& plane, double depth_m, double rate_m_s, double speed_m_s) noexcept {
  PlaneForce result;
  result.push = one_sided_force(plane.stiffness, plane.dissipation, depth_m, rate_m_s);
  result.drag = smoothed_drag(plane.friction * result.push.force_N, speed_m_s, plane.friction_speed);
  return result;
}

PlaneForce soil_force(const Plane& plane, double depth_m, double rate_m_s, double speed_m_s) noexcept {
  const double growth = plane.stiffness + plane.digging;
  const double total_N = std::min(growth * depth_m, plane.max_force);
  const double bearing_N = plane.stiffness / growth * total_N;
  const double factor = std::clamp(1.0 + plane.dissipation * rate_m_s, 0.0, 1.0);
  PlaneForce result;
  result.push.force_N = factor * bearing_N;
  if (growth * depth_m < plane.max_force) result.push.stiffness = factor * plane.stiffness;
  if (factor > 0.0 && factor < 1.0) result.push.damping = plane.dissipation * bearing_N;
  result.drag = smoothed_drag(total_N - bearing_N, speed_m_s, plane.friction_speed);
  return result;
}

}  // namespace

OneSidedForce one_sided_force(double stiffness, double dissipation, double depth_m, double rate_m_s) noexcept {
  const double factor = 1.0 + dissipation * rate_m_s;
  if (!(depth_m > 0.0) || !(factor > 0.0)) return {};
  return {stiffness * depth_m * factor, stiffness * factor, stiffness * depth_m * dissipation};
}

PlaneForce plane_force(const Plane& plane, double depth_m, double rate_m_s, double speed_m_s) noexcept {
  return plane.kind == PlaneKind::kSoil ? soil_force(plane, depth_m, rate_m_s, speed_m_s)
                                        : firm_force(plane, depth_m, rate_m_s, speed_m_s);
}

PlaneSlope plane_slope(const Plane& plane, double depth_m, double rate_m_s, double speed_m_s) noexcept {
  PlaneSlope slope;
  double limit_N = 0.0;
  double limit_by_depth = 0.0;
  double limit_by_rate = 0.0;
  if (plane.kind == PlaneKind::kSoil) {
    const PlaneForce force = soil_force(plane, depth_m, rate_m_s, speed_m_s);
    const double growth = plane.stiffness + plane.digging;
    const double digging = 1.0 - plane.stiffness / growth;
    limit_N = digging * std::min(growth * depth_m, plane.max_force);
    if (growth * depth_m < plane.max_force) limit_by_depth = digging * growth;
    slope.push_by_depth = force.push.stiffness;
    slope.push_by_rate = force.push.damping;
  } else {
    const OneSidedForce push = one_sided_force(plane.stiffness, plane.dissipation, depth_m, rate_m_s);
    limit_N = plane.friction * push.force_N;
    limit_by_depth = plane.friction * push.stiffness;
    limit_by_rate = plane.friction * push.damping;
    slope.push_by_depth = push.stiffness;
    slope.push_by_rate = push.damping;
  }
  const double unit = smoothed_drag(1.0, speed_m_s, plane.friction_speed);
  slope.drag_by_depth = unit * limit_by_depth;
  slope.drag_by_rate = unit * limit_by_rate;
  slope.drag_by_speed = smoothed_drag_slope(limit_N, speed_m_s, plane.friction_speed);
  return slope;
}

double plane_energy(const Plane& plane, double depth_m) noexcept {
  if (!(depth_m > 0.0)) return 0.0;
  double growing_m = depth_m;  // up to here the push grows, beyond it stays
  if (plane.kind == PlaneKind::kSoil)
    growing_m = std::min(depth_m, plane.max_force / (plane.stiffness + plane.digging));
  return plane.stiffness * growing_m * (depth_m - 0.5 * growing_m);
}

}  // namespace kinloop
