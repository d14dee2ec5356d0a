// Exponential, logarithm and the inverse of the exponential's derivative, for unit quaternions.
#include "core/kinematics/configuration.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/joints/rotation_logarithm.hpp"

namespace kinloop {
namespace {

/// Where body k keeps its quaternion in q and that quaternion's speeds in v.
struct QuaternionPlace {
  int q, v;
};

QuaternionPlace quaternion_place(const Model& model, int k) noexcept {
  const BodyConstants& body = model.body(k);
  const int scalars = body.nv - 3;  // each with a speed of its own, before the quaternion
  return {body.q + scalars, body.v + scalars};
}

/// a * b, scaled to unit length.
void multiply_to_unit(double a_w, const Vec3& a, double b_w, const Vec3& b, double* out) noexcept {
  const double w = a_w * b_w - dot(a, b);
  const Vec3 xyz = a_w * b + b_w * a + cross(a, b);
  const double scale = 1.0 / std::sqrt(w * w + dot(xyz, xyz));
  out[0] = scale * w;
  store3(scale * xyz, out + 1);
}

/// Of a half angle: sin(a) / a, and cos(a).
struct HalfTurn {
  double sinc, cosine;
};

HalfTurn half_turn(double angle2) noexcept {
  constexpr double kSmall2 = 0.01;  // of which both series have all digits
  if (angle2 > kSmall2) {
    const double angle = std::sqrt(angle2);
    return {std::sin(angle) / angle, std::cos(angle)};
  }
  const double x = -angle2;
  return {1.0 + x / 6.0 * (1.0 + x / 20.0 * (1.0 + x / 42.0 * (1.0 + x / 72.0))),
          1.0 + x / 2.0 * (1.0 + x / 12.0 * (1.0 + x / 30.0 * (1.0 + x / 56.0 * (1.0 + x / 90.0))))};
}

void turn(const double* q0, const Vec3& theta, double* q) noexcept {
  const HalfTurn half = half_turn(0.25 * dot(theta, theta));
  multiply_to_unit(q0[0], load3(q0 + 1), half.cosine, (0.5 * half.sinc) * theta, q);
}

Vec3 rotation_vector_between(const double* q0, const double* q1) noexcept {
  double r[4];
  multiply_to_unit(q0[0], -load3(q0 + 1), q1[0], load3(q1 + 1), r);
  const double sign = r[0] < 0.0 ? -1.0 : 1.0;
  return rotation_vector(sign * r[0], sign * load3(r + 1));
}

/// w + theta x w / 2 + c theta x (theta x w): the plus sign belongs to w in the axes of the body.
Vec3 dexpinv(const Vec3& theta, const Vec3& w) noexcept {
  const double angle2 = dot(theta, theta);
  const double half = 0.5 * std::sqrt(angle2);
  // The closed form loses its digits near zero; there four terms of the series have them all.
  const double c = angle2 < 0.01 ? 1.0 / 12.0 + angle2 * (1.0 / 720.0 + angle2 * (1.0 / 30240.0 + angle2 / 1209600.0))
                                 : (1.0 - half * std::cos(half) / std::sin(half)) / angle2;
  const Vec3 theta_x_w = cross(theta, w);
  return w + 0.5 * theta_x_w + c * cross(theta, theta_x_w);
}

}  // namespace

void advance_configuration(const Model& model, const double* q0, const double* increment, double* q) noexcept {
  for (int i = 0; i < model.nv(); ++i) {
    const int c = model.coordinate(i).q;
    if (c >= 0) q[c] = q0[c] + increment[i];
  }
  for (const int k : model.quaternion_bodies()) {
    const QuaternionPlace at = quaternion_place(model, k);
    turn(q0 + at.q, load3(increment + at.v), q + at.q);
  }
}

void configuration_difference(const Model& model, const double* q0, const double* q1, double* increment) noexcept {
  for (int i = 0; i < model.nv(); ++i) {
    const int c = model.coordinate(i).q;
    if (c >= 0) increment[i] = q1[c] - q0[c];
  }
  for (const int k : model.quaternion_bodies()) {
    const QuaternionPlace at = quaternion_place(model, k);
    store3(rotation_vector_between(q0 + at.q, q1 + at.q), increment + at.v);
  }
}

void increment_between(const Model& model, const VectorX& a, const VectorX& b, VectorX& increment) noexcept {
  increment = b - a;
  for (const int k : model.quaternion_bodies()) {
    const int v = quaternion_place(model, k).v;
    const Vector3 from = a.segment<3>(v);
    const Vector3 to = b.segment<3>(v);
    const Vector3 turned = from.cross(to);
    increment.segment<3>(v) -= 0.5 * turned - (1.0 / 12.0) * (from + to).cross(turned);
  }
}

void increment_rate(const Model& model, const double* increment, const double* v, double* rate) noexcept {
  if (rate != v) std::copy(v, v + model.nv(), rate);
  for (const int k : model.quaternion_bodies()) {
    const QuaternionPlace at = quaternion_place(model, k);
    store3(dexpinv(load3(increment + at.v), load3(v + at.v)), rate + at.v);
  }
}

}  // namespace kinloop
