// Tests the closed formulas of solids against a sum over small cubes, and the parallel axis theorem.
#include "core/model/mass_properties.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

namespace kinloop {
namespace {

constexpr double kDensity = 700.0;
constexpr int kCells = 120;  // along each edge of the box around the shape
// The midpoint rule errs only in cells that the surface cuts: their share times the part of them that is misjudged.
constexpr double kIntegrationTolerance = 5e-3;

bool contains(const ShapeSpec& shape, const Vector3& x) {
  const double r = shape.size[0];
  const double across = std::hypot(x.x(), x.y());
  switch (shape.kind) {
    case ShapeKind::kBox:
      return (x.cwiseAbs() - 0.5 * shape.size).maxCoeff() <= 0.0;
    case ShapeKind::kCylinder:
      return across <= r && std::abs(x.z()) <= 0.5 * shape.size[1];
    case ShapeKind::kCapsule:
      return std::hypot(across, std::max(0.0, std::abs(x.z()) - 0.5 * shape.size[1])) <= r;
    case ShapeKind::kSphere:
      return x.norm() <= r;
  }
  return false;
}

Vector3 half_extent(const ShapeSpec& shape) {
  const double r = shape.size[0];
  if (shape.kind == ShapeKind::kBox) return 0.5 * shape.size;
  if (shape.kind == ShapeKind::kSphere) return Vector3::Constant(r);
  return {r, r, 0.5 * shape.size[1] + (shape.kind == ShapeKind::kCapsule ? r : 0.0)};
}

/// By adding up cubes, in the body frame.
MassProperties integrated(const ShapeSpec& shape) {
  const Vector3 half = half_extent(shape);
  const double cell_mass = kDensity * 8.0 * half.prod() / (kCells * kCells * kCells);
  MassProperties result;
  Matrix3 about_origin = Matrix3::Zero();
  for (int i = 0; i < kCells; ++i) {
    for (int j = 0; j < kCells; ++j) {
      for (int k = 0; k < kCells; ++k) {
        const Vector3 x = half.cwiseProduct((2.0 * Vector3(i, j, k) + Vector3::Ones()) / kCells - Vector3::Ones());
        if (!contains(shape, x)) continue;
        const Vector3 p = shape.pose.R * x + shape.pose.p;
        result.mass += cell_mass;
        result.com += cell_mass * p;
        about_origin -= cell_mass * skew(p) * skew(p);
      }
    }
  }
  result.com /= result.mass;
  result.inertia = about_origin + result.mass * skew(result.com) * skew(result.com);
  return result;
}

class SolidTest : public testing::TestWithParam<ShapeKind> {};

TEST_P(SolidTest, AgreesWithASumOverSmallCubes) {
  ShapeSpec shape;
  shape.kind = GetParam();
  shape.size = Vector3(0.3, 0.5, 0.2);
  shape.pose = {Eigen::AngleAxisd(0.7, Vector3(1.0, 2.0, -1.0).normalized()).toRotationMatrix(), {0.1, -0.4, 0.2}};

  const MassProperties closed = solid(shape, kDensity);
  const MassProperties summed = integrated(shape);

  EXPECT_NEAR(closed.mass, summed.mass, kIntegrationTolerance * summed.mass);
  EXPECT_LT((closed.com - summed.com).norm(), kIntegrationTolerance);
  EXPECT_LT((closed.inertia - summed.inertia).norm(), kIntegrationTolerance * summed.inertia.norm());
}

INSTANTIATE_TEST_SUITE_P(AllShapes, SolidTest,
                         testing::Values(ShapeKind::kBox, ShapeKind::kCylinder, ShapeKind::kCapsule,
                                         ShapeKind::kSphere));

TEST(MassProperties, TwoHalvesOfABoxMakeTheBox) {
  ShapeSpec whole;
  whole.size = Vector3(0.4, 0.2, 0.1);
  whole.pose.p = Vector3(1.0, 2.0, 3.0);
  ShapeSpec left = whole;
  left.size.x() = 0.1;
  left.pose.p.x() -= 0.15;
  ShapeSpec right = whole;
  right.size.x() = 0.3;
  right.pose.p.x() += 0.05;

  const MassProperties together = sum(sum({}, solid(left, kDensity)), solid(right, kDensity));
  const MassProperties expected = solid(whole, kDensity);

  EXPECT_NEAR(together.mass, expected.mass, 1e-12);
  EXPECT_LT((together.com - expected.com).norm(), 1e-14);
  EXPECT_LT((together.inertia - expected.inertia).norm(), 1e-12);
}

}  // namespace
}  // namespace kinloop
