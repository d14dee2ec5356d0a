// Reads planes, and the contacts that touch them.
#include <array>

#include "core/base/field_path.hpp"
#include "services/files/model_sections.hpp"
#include "services/files/pose_reader.hpp"

namespace kinloop {
namespace {

constexpr std::array<KindName<PlaneKind>, 2> kPlanes{{{PlaneKind::kFirm, "firm"}, {PlaneKind::kSoil, "soil"}}};
constexpr std::array<KindName<ContactShape>, 2> kContactShapes{
    {{ContactShape::kSphere, "sphere"}, {ContactShape::kBox, "box"}}};

constexpr double kSoilSpeed_m_s = 0.1;  // soil yields slowly, and needs no finer smoothing

/// A list of names, which may be numbered.
std::vector<std::string> read_names(Fields& fields, const std::string& key) {
  std::vector<std::string> names;
  const YamlNode* list = fields.optional_sequence(key);
  if (list == nullptr) return names;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    names.push_back(fields.values().name(list->items[i], item_path(fields.path_of(key), i)).value_or(""));
  }
  return names;
}

void read_firm(Fields& plane, PlaneSpec& spec) {
  spec.friction = plane.number_or("friction", Dimension::none(), 0.0, Range::kNonNegative);
  spec.friction_speed = plane.number_or("friction_speed", Dimension::speed(), spec.friction_speed, Range::kPositive);
}

void read_soil(Fields& plane, PlaneSpec& spec) {
  spec.digging = plane.number("digging", Dimension::stiffness(), Range::kNonNegative);
  spec.max_force = plane.number("max_force", Dimension::force(), Range::kPositive);
  spec.friction_speed = plane.number_or("friction_speed", Dimension::speed(), kSoilSpeed_m_s, Range::kPositive);
}

}  // namespace

PlaneSpec read_plane(Fields& plane) {
  PlaneSpec spec;
  spec.name = plane.name("name");
  if (plane.has("body")) spec.body = plane.name("body");
  spec.frame = read_pose(plane, "pose").pose;
  spec.stiffness = plane.number("stiffness", Dimension::stiffness(), Range::kPositive);
  spec.dissipation =
      plane.number_or("dissipation", Dimension::time().over(Dimension::length()), 0.0, Range::kNonNegative);
  const std::size_t errors_before = plane.values().diagnostics().count();
  spec.kind = plane.choice_or<PlaneKind>("type", kPlanes, PlaneKind::kFirm);
  if (plane.values().diagnostics().count() > errors_before) return spec;
  if (spec.kind == PlaneKind::kFirm) read_firm(plane, spec);
  if (spec.kind == PlaneKind::kSoil) read_soil(plane, spec);
  plane.finish();
  return spec;
}

ContactSpec read_contact(Fields& contact) {
  ContactSpec spec;
  spec.name = contact.name("name");
  spec.body = contact.name("body");
  spec.pose = read_pose(contact, "pose").pose;
  spec.planes = read_names(contact, "planes");
  const std::optional<ContactShape> shape = contact.choice<ContactShape>("type", kContactShapes);
  if (!shape) return spec;
  spec.shape = *shape;
  if (*shape == ContactShape::kSphere) {
    spec.size[0] = contact.number("radius", Dimension::length(), Range::kNonNegative);
  } else {
    spec.size = contact.vector3("size", Dimension::length());
  }
  contact.finish();
  return spec;
}

}  // namespace kinloop
