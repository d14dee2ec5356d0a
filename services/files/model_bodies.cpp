// Reads bodies: mass properties given, or computed from shapes and a density.
#include "core/model/mass_properties.hpp"
#include "services/files/model_sections.hpp"

namespace kinloop {
namespace {

Matrix3 read_six_moments(Fields& inertia) {
  const double xx = inertia.number("xx", Dimension::inertia());
  const double yy = inertia.number("yy", Dimension::inertia());
  const double zz = inertia.number("zz", Dimension::inertia());
  const double xy = inertia.number_or("xy", Dimension::inertia(), 0.0);
  const double xz = inertia.number_or("xz", Dimension::inertia(), 0.0);
  const double yz = inertia.number_or("yz", Dimension::inertia(), 0.0);
  inertia.finish();
  Matrix3 matrix;
  matrix << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return matrix;
}

/// Three principal moments, three rows, or a mapping of the six moments.
Matrix3 read_inertia(Fields& body) {
  const YamlNode* node = body.node("inertia");
  if (node == nullptr) return Matrix3::Zero();
  if (node->is_mapping()) {
    Fields six = body.child("inertia");
    return read_six_moments(six);
  }
  if (!node->is_sequence() || node->items.size() != 3) {
    body.error("inertia", "expected three moments [xx, yy, zz], three rows or a mapping of xx, yy, zz, xy, xz, yz");
    return Matrix3::Zero();
  }
  if (node->items.front().is_sequence()) return body.matrix3("inertia", Dimension::inertia());
  return body.vector3("inertia", Dimension::inertia()).asDiagonal();
}

}  // namespace

BodySpec read_body(Fields& body) {
  BodySpec spec;
  spec.name = body.name("name");
  const std::optional<double> density = body.optional_number("density", Dimension::density(), Range::kPositive);
  bool is_computed = body.has("density");
  MassProperties total;
  const std::size_t errors_before = body.values().diagnostics().count();
  for (Fields& fields : body.optional_list("shapes")) {
    const ReadShape shape = read_shape(fields);
    spec.shapes.push_back(shape.spec);
    is_computed = is_computed || fields.has("density");
    total = sum(total, solid(shape.spec, shape.density.value_or(density.value_or(0.0))));
  }
  if (is_computed) {
    for (const std::string_view key : {"mass", "com", "inertia"}) {
      if (body.has(key)) body.error(key, "is already given by the density of the shapes");
    }
    if (body.values().diagnostics().count() == errors_before) {
      if (spec.shapes.empty()) body.error("density", "needs 'shapes'");
      if (!total.inertia.allFinite()) body.error("shapes", "their mass or inertia is too large for a number");
    }
    spec.mass = total.mass;
    spec.com = total.com;
    spec.inertia = total.inertia;
  } else {
    spec.mass = body.number("mass", Dimension::mass());
    spec.com = body.optional_vector3("com", Dimension::length()).value_or(Vector3::Zero());
    spec.inertia = read_inertia(body);
  }
  body.finish();
  return spec;
}

}  // namespace kinloop
