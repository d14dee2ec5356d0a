// Implements the translation of SDF geometry.
#include "services/import/sdf_shapes.hpp"

#include <optional>
#include <sdf/Box.hh>
#include <sdf/Capsule.hh>
#include <sdf/Collision.hh>
#include <sdf/Cylinder.hh>
#include <sdf/Geometry.hh>
#include <sdf/Material.hh>
#include <sdf/Sphere.hh>
#include <sdf/Visual.hh>

namespace kinloop {
namespace {

std::optional<ShapeSpec> shape_of_sdf(const sdf::Geometry* geometry) {
  ShapeSpec shape;
  if (geometry == nullptr) return std::nullopt;
  if (const sdf::Box* box = geometry->BoxShape()) {
    shape.kind = ShapeKind::kBox;
    shape.size = to_vector(box->Size());
  } else if (const sdf::Cylinder* cylinder = geometry->CylinderShape()) {
    shape.kind = ShapeKind::kCylinder;
    shape.size = {cylinder->Radius(), cylinder->Length(), 0.0};
  } else if (const sdf::Capsule* capsule = geometry->CapsuleShape()) {
    shape.kind = ShapeKind::kCapsule;
    shape.size = {capsule->Radius(), capsule->Length(), 0.0};
  } else if (const sdf::Sphere* sphere = geometry->SphereShape()) {
    shape.kind = ShapeKind::kSphere;
    shape.size = {sphere->Radius(), 0.0, 0.0};
  } else {
    return std::nullopt;
  }
  return shape;
}

/// Pose of a visual or collision in its link.
template <class Part>
Pose pose_in_link(const Part& part) {
  ignition::math::Pose3d pose;
  return part.SemanticPose().Resolve(pose).empty() ? to_pose(pose) : to_pose(part.RawPose());
}

}  // namespace

Vector3 to_vector(const ignition::math::Vector3d& v) { return {v.X(), v.Y(), v.Z()}; }

Pose to_pose(const ignition::math::Pose3d& pose) {
  const ignition::math::Matrix3d R(pose.Rot().Normalized());
  Pose out;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      out.R(row, column) = R(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
    }
  }
  out.p = to_vector(pose.Pos());
  return out;
}

std::vector<ShapeSpec> sdf_shapes(const sdf::Link& link, int& ignored) {
  std::vector<ShapeSpec> shapes;
  for (std::uint64_t i = 0; i < link.VisualCount(); ++i) {
    const sdf::Visual& visual = *link.VisualByIndex(i);
    std::optional<ShapeSpec> shape = shape_of_sdf(visual.Geom());
    if (!shape) {
      ++ignored;
      continue;
    }
    shape->pose = pose_in_link(visual);
    if (const sdf::Material* material = visual.Material()) {
      const ignition::math::Color& colour = material->Diffuse();
      shape->colour = {colour.R(), colour.G(), colour.B()};
    }
    shapes.push_back(*shape);
  }
  if (!shapes.empty()) return shapes;
  for (std::uint64_t i = 0; i < link.CollisionCount(); ++i) {
    const sdf::Collision& collision = *link.CollisionByIndex(i);
    std::optional<ShapeSpec> shape = shape_of_sdf(collision.Geom());
    if (!shape) continue;
    shape->pose = pose_in_link(collision);
    shapes.push_back(*shape);
  }
  return shapes;
}

}  // namespace kinloop
