// Forces along the displacement and the rotation vector of B in A, and the moment of their energy.
#include "core/forces/bushing.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "core/base/at.hpp"
#include "core/forces/force_element.hpp"
#include "core/forces/force_slopes.hpp"
#include "core/forces/tangent_sum.hpp"
#include "core/joints/rotation_logarithm.hpp"

namespace kinloop {
namespace {

struct Deflection {
  Matrix3 R_WA;
  Vector3 p_WB;      // world position of the origin of B relative to the reference point of b
  Vector3 p_WA;      // world position of the origin of A relative to the reference point of a
  Vector3 d_W;       // from A's origin to B's, world axes
  Vector3 d;         // the same in A
  Vector3 rotation;  // rotation vector of B relative to A, in A
};

/// The moment that belongs to the energy k rho^2 / 2: rho' = J^-1(rho) w, so the moment is J^-T(rho) k rho.
Vector3 moment_of(const Vector3& rotation, const Vector3& slope) noexcept {
  const double angle2 = rotation.squaredNorm();
  const double angle = std::sqrt(angle2);
  const double c = angle < 1e-4 ? 1.0 / 12.0 : 1.0 / angle2 - (1.0 + std::cos(angle)) / (2.0 * angle * std::sin(angle));
  const Vector3 rotation_x_slope = rotation.cross(slope);
  return slope + 0.5 * rotation_x_slope + c * rotation.cross(rotation_x_slope);
}

/// Of moment_of(rotation, k rotation), where B turns by theta, in the axes of A.
Vector3 moment_change(const Vector3& rho, const Vector3& k, const Vector3& theta) noexcept {
  const double angle2 = rho.squaredNorm();
  const double angle = std::sqrt(angle2);
  double c = 1.0 / 12.0 + angle2 / 720.0;
  double c_slope = 1.0 / 360.0 + angle2 / 7560.0;  // c' / angle
  if (angle > 1e-2) {
    const double cot = 1.0 / std::tan(0.5 * angle);
    const double sine = std::sin(0.5 * angle);
    c = 1.0 / angle2 - 0.5 * cot / angle;
    c_slope = (-2.0 / (angle2 * angle) + 0.5 * cot / angle2 + 0.25 / (angle * sine * sine)) / angle;
  }
  const Vector3 rho_x_theta = rho.cross(theta);
  const Vector3 turned = theta - 0.5 * rho_x_theta + c * rho.cross(rho_x_theta);  // of rho
  const Vector3 s = k.cwiseProduct(rho);
  const Vector3 ds = k.cwiseProduct(turned);
  const Vector3 rho_x_s = rho.cross(s);
  return ds + 0.5 * (turned.cross(s) + rho.cross(ds)) + c_slope * rho.dot(turned) * rho.cross(rho_x_s) +
         c * (turned.cross(rho_x_s) + rho.cross(turned.cross(s) + rho.cross(ds)));
}

Deflection deflection(const Bushing& bushing, const Workspace& ws) noexcept {
  const BodyMotion& a = ws.motion[at(bushing.body_a)];
  const BodyMotion& b = ws.motion[at(bushing.body_b)];
  Deflection out;
  const Matrix3 R_a = a.R.eigen();
  const Matrix3 R_b = b.R.eigen();
  out.R_WA = R_a * bushing.X_A.R;
  out.p_WA = R_a * bushing.X_A.p;
  out.p_WB = R_b * bushing.X_B.p;
  out.d_W = (b.x - a.x).eigen() + (out.p_WB - out.p_WA);
  out.d = out.R_WA.transpose() * out.d_W;
  const Matrix3 R_AB = out.R_WA.transpose() * R_b * bushing.X_B.R;
  out.rotation = rotation_vector(Mat3(R_AB)).eigen();
  return out;
}

/// How B moves against A, in world axes.
struct DeflectionRate {
  Vector3 d;  // as seen in A: the part from A's own turning is taken out
  Vector3 w;
};

DeflectionRate deflection_rate(const Bushing& bushing, const Deflection& now, const Workspace& ws) noexcept {
  const BodyMotion& a = ws.motion[at(bushing.body_a)];
  const BodyMotion& b = ws.motion[at(bushing.body_b)];
  const Vector3 w_a = a.w.eigen();
  const Vector3 w_b = b.w.eigen();
  const Vector3 v_a = a.v.eigen() + w_a.cross(now.p_WA);
  const Vector3 v_b = b.v.eigen() + w_b.cross(now.p_WB);
  return {v_b - v_a - w_a.cross(now.d_W), w_b - w_a};
}

}  // namespace

void add_bushing(const Bushing& bushing, Workspace& ws) noexcept {
  const Deflection now = deflection(bushing, ws);
  const DeflectionRate rate = deflection_rate(bushing, now, ws);
  const Vector3 d_rate = now.R_WA.transpose() * rate.d;
  const Vector3 w_rel = now.R_WA.transpose() * rate.w;
  const Vector3 force_A = -bushing.stiffness.cwiseProduct(now.d) - bushing.damping.cwiseProduct(d_rate);
  const Vector3 moment_A = -moment_of(now.rotation, bushing.rotational_stiffness.cwiseProduct(now.rotation)) -
                           bushing.rotational_damping.cwiseProduct(w_rel);
  const Vector3 force = now.R_WA * force_A;    // on b, at B's origin
  const Vector3 moment = now.R_WA * moment_A;  // on b

  BodyLoad& load_a = ws.load[at(bushing.body_a)];
  BodyLoad& load_b = ws.load[at(bushing.body_b)];
  load_b.f += Vec3(force);
  load_b.n += Vec3(Vector3(moment + now.p_WB.cross(force)));
  load_a.f -= Vec3(force);
  load_a.n -=
      Vec3(Vector3(moment + (now.p_WA + now.d_W).cross(force)));  // at the same point in space, so that they balance
}

ElementTangent bushing_tangent(const Bushing& bushing, const Workspace& ws) noexcept {
  const BodyMotion& a = ws.motion[at(bushing.body_a)];
  const BodyMotion& b = ws.motion[at(bushing.body_b)];
  const Mat3 R_WA = a.R * Mat3(bushing.X_A.R);
  const Mat3 R_AW = transposed(R_WA);
  const auto in_world = [&](const Vector3& diagonal) {
    const Vector3 k = diagonal.cwiseMax(0.0);
    return Mat3(k[0] * R_WA.c[0], k[1] * R_WA.c[1], k[2] * R_WA.c[2]) * R_AW;
  };
  ElementTangent tangent;
  tangent.body_a = bushing.body_a;
  tangent.body_b = bushing.body_b;
  tangent.arm_b = b.R * Vec3(bushing.X_B.p);  // both at B's origin, where the force acts
  tangent.arm_a = (b.x - a.x) + tangent.arm_b;
  tangent.stiffness = in_world(bushing.stiffness);
  tangent.damping = in_world(bushing.damping);
  tangent.rotational_stiffness = in_world(bushing.rotational_stiffness);
  tangent.rotational_damping = in_world(bushing.rotational_damping);
  return tangent;
}

PairSlope bushing_slope(const Bushing& bushing, const Workspace& ws) noexcept {
  const Deflection now = deflection(bushing, ws);
  const DeflectionRate rate = deflection_rate(bushing, now, ws);
  const Matrix3 R_AW = now.R_WA.transpose();
  const auto in_world = [&](const Vector3& diagonal) -> Matrix3 { return now.R_WA * diagonal.asDiagonal() * R_AW; };
  PairSlope slope;
  slope.body_a = bushing.body_a;
  slope.body_b = bushing.body_b;
  slope.arm_b = Vec3(now.p_WB);
  const Matrix3 by_rate = -in_world(bushing.damping);
  slope.force = Vec3(Vector3(-(in_world(bushing.stiffness) * now.d_W) + by_rate * rate.d));
  const Vector3 moment = moment_of(now.rotation, bushing.rotational_stiffness.cwiseProduct(now.rotation)) +
                         bushing.rotational_damping.cwiseProduct(R_AW * rate.w);
  slope.moment = Vec3(Vector3(-(now.R_WA * moment)));
  slope.force_by_rate = Mat3(by_rate);
  slope.force_by_place = Mat3(Matrix3(-in_world(bushing.stiffness) + by_rate * skew(rate.w)));
  slope.moment_by_spin = Mat3(Matrix3(-in_world(bushing.rotational_damping)));
  Matrix3 by_turn;
  for (int c = 0; c < 3; ++c) {
    by_turn.col(c) = -(now.R_WA * moment_change(now.rotation, bushing.rotational_stiffness, R_AW.col(c)));
  }
  slope.moment_by_turn = Mat3(by_turn);
  return slope;
}

double bushing_energy(const Bushing& bushing, const Workspace& ws) noexcept {
  const Deflection now = deflection(bushing, ws);
  return 0.5 * (now.d.dot(bushing.stiffness.cwiseProduct(now.d)) +
                now.rotation.dot(bushing.rotational_stiffness.cwiseProduct(now.rotation)));
}

constinit const ForceElementKind force_elements::kBushing = {
    [](const Model& model) noexcept { return model.bushings().size(); },
    [](const Model& model, std::vector<int>& bodies) {
      for (const Bushing& bushing : model.bushings()) bodies.insert(bodies.end(), {bushing.body_a, bushing.body_b});
    },
    [](const Model& model, const double* /*q*/, const double* /*v*/, Workspace& ws) noexcept {
      for (const Bushing& bushing : model.bushings()) add_bushing(bushing, ws);
    },
    [](const Model& model, const double* /*q*/, const Workspace& ws, double& energy_J) noexcept {
      for (const Bushing& bushing : model.bushings()) energy_J += bushing_energy(bushing, ws);
    },
    [](const Model& model, const double* /*q*/, const double* /*v*/, const Workspace& ws, TangentSum& sum) noexcept {
      for (const Bushing& bushing : model.bushings()) sum.add(model, bushing_tangent(bushing, ws), ws);
    },
    [](const Model& model, const double* /*q*/, const double* /*v*/, const Workspace& ws, ForceSlopes& sum) noexcept {
      for (const Bushing& bushing : model.bushings()) sum.add(bushing_slope(bushing, ws));
    },
    [](const Model& model, const double* /*q*/, const double* /*v*/, const Workspace& ws, Dissipation& sum) noexcept {
      for (const Bushing& bushing : model.bushings()) sum.dampers += damper_W(bushing_tangent(bushing, ws), ws);
    },
    nullptr};

}  // namespace kinloop
