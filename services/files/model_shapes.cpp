// Reads the shapes of bodies: what the 3D view shows and mass properties may be computed from.
#include <array>

#include "services/files/model_sections.hpp"
#include "services/files/pose_reader.hpp"

namespace kinloop {
namespace {

constexpr std::array<KindName<ShapeKind>, 4> kShapes{{{ShapeKind::kBox, "box"},
                                                      {ShapeKind::kCylinder, "cylinder"},
                                                      {ShapeKind::kCapsule, "capsule"},
                                                      {ShapeKind::kSphere, "sphere"}}};

Vector3 read_box(Fields& shape) {
  const std::size_t errors_before = shape.values().diagnostics().count();
  Vector3 size = shape.vector3("size", Dimension::length());
  const bool is_read = shape.values().diagnostics().count() == errors_before;
  if (is_read && !(size.minCoeff() > 0.0)) shape.error("size", "every edge must be positive");
  return size;
}

/// A cylinder or capsule: `length` along z, or the points `from` and `to` of its axis.
void read_round(Fields& shape, ShapeSpec& spec) {
  spec.size[0] = shape.number("radius", Dimension::length(), Range::kPositive);
  if (!shape.has("from") && !shape.has("to")) {
    spec.size[1] = shape.number("length", Dimension::length(), Range::kPositive);
    return;
  }
  for (const std::string_view key : {"length", "pose"}) {
    if (shape.has(key)) shape.error(key, "is already given by 'from' and 'to'");
  }
  const bool is_complete = shape.has("from") && shape.has("to");
  const std::size_t errors_before = shape.values().diagnostics().count();
  const Vector3 from = shape.vector3("from", Dimension::length());
  const Vector3 to = shape.vector3("to", Dimension::length());
  if (!is_complete || shape.values().diagnostics().count() > errors_before) return;
  spec.size[1] = (to - from).norm();
  if (!(spec.size[1] > 0.0)) {
    shape.error("to", "is the same point as 'from'");
    return;
  }
  spec.pose.p = 0.5 * (from + to);
  spec.pose.R = rotation_with_z_along(to - from);
}

void read_colour(Fields& shape, ShapeSpec& spec) {
  const std::optional<std::vector<double>> colour =
      shape.optional_numbers("colour", Dimension::none(), Range::kZeroToOne);
  if (!colour) return;
  if (colour->size() != 3) {
    shape.error("colour", "expected red, green and blue from 0 to 1, got a list of " + std::to_string(colour->size()));
    return;
  }
  for (std::size_t i = 0; i < 3; ++i) spec.colour[i] = (*colour)[i];
}

}  // namespace

ReadShape read_shape(Fields& shape) {
  ShapeSpec spec;
  spec.pose = read_pose(shape, "pose").pose;
  read_colour(shape, spec);
  const std::optional<double> density = shape.optional_number("density", Dimension::density(), Range::kNonNegative);
  const std::optional<ShapeKind> kind = shape.choice<ShapeKind>("type", kShapes);
  if (!kind) return {spec, density};
  spec.kind = *kind;
  switch (*kind) {
    case ShapeKind::kBox:
      spec.size = read_box(shape);
      break;
    case ShapeKind::kCylinder:
    case ShapeKind::kCapsule:
      read_round(shape, spec);
      break;
    case ShapeKind::kSphere:
      spec.size[0] = shape.number("radius", Dimension::length(), Range::kPositive);
      break;
  }
  shape.finish();
  return {spec, density};
}

ShapeSpec read_scenery(Fields& shape) {
  const ReadShape read = read_shape(shape);
  if (read.density) shape.error("density", "what stands on the ground has no mass");
  return read.spec;
}

}  // namespace kinloop
