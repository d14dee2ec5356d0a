// Closed formulas for solids of uniform density, and the parallel axis theorem.
#include "core/model/mass_properties.hpp"

#include <numbers>

namespace kinloop {
namespace {

constexpr double kPi = std::numbers::pi;

/// Principal moments about the shape's own centre and axes.
Vector3 principal_moments(const ShapeSpec& shape, double density) noexcept {
  const double mass = density * volume(shape);
  switch (shape.kind) {
    case ShapeKind::kBox: {
      const Vector3 square = shape.size.cwiseAbs2();
      return mass / 12.0 * Vector3(square.y() + square.z(), square.x() + square.z(), square.x() + square.y());
    }
    case ShapeKind::kCylinder: {
      const double r = shape.size[0];
      const double l = shape.size[1];
      const double across = mass * (3.0 * r * r + l * l) / 12.0;
      return {across, across, 0.5 * mass * r * r};
    }
    case ShapeKind::kCapsule: {  // a cylinder and two half spheres, whose centres lie 3/8 r beyond its ends
      const double r = shape.size[0];
      const double l = shape.size[1];
      const double middle = density * kPi * r * r * l;
      const double caps = density * 4.0 / 3.0 * kPi * r * r * r;
      const double across = middle * (3.0 * r * r + l * l) / 12.0 + caps * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
      return {across, across, 0.5 * middle * r * r + 0.4 * caps * r * r};
    }
    case ShapeKind::kSphere:
      return Vector3::Constant(0.4 * mass * shape.size[0] * shape.size[0]);
  }
  return Vector3::Zero();
}

/// Inertia about a point at `offset` from the centre of mass.
Matrix3 parallel_axis(const Matrix3& inertia, double mass, const Vector3& offset) noexcept {
  return inertia - mass * skew(offset) * skew(offset);
}

}  // namespace

double volume(const ShapeSpec& shape) noexcept {
  const double r = shape.size[0];
  switch (shape.kind) {
    case ShapeKind::kBox:
      return shape.size.prod();
    case ShapeKind::kCylinder:
      return kPi * r * r * shape.size[1];
    case ShapeKind::kCapsule:
      return kPi * r * r * (shape.size[1] + 4.0 / 3.0 * r);
    case ShapeKind::kSphere:
      return 4.0 / 3.0 * kPi * r * r * r;
  }
  return 0.0;
}

MassProperties solid(const ShapeSpec& shape, double density) noexcept {
  const Matrix3& R = shape.pose.R;
  return {density * volume(shape), shape.pose.p, R * principal_moments(shape, density).asDiagonal() * R.transpose()};
}

MassProperties sum(const MassProperties& a, const MassProperties& b) noexcept {
  const double mass = a.mass + b.mass;
  if (!(mass > 0.0)) return a;
  const Vector3 com = (a.mass * a.com + b.mass * b.com) / mass;
  const Matrix3 inertia = parallel_axis(a.inertia, a.mass, a.com - com) + parallel_axis(b.inertia, b.mass, b.com - com);
  return {mass, com, 0.5 * (inertia + inertia.transpose())};
}

}  // namespace kinloop
