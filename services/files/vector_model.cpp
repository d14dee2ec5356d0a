// Reads bodies, joints, loops and springs as the schema names them.
#include "services/files/vector_model.hpp"

#include <array>
#include <utility>

#include "core/joints/joint.hpp"

namespace kinloop {
namespace {

constexpr Dimension kPlain = Dimension::any();

std::vector<KindName<JointType>> joint_types() {
  std::vector<KindName<JointType>> table;
  for (const JointKind& kind : joint_kinds()) table.push_back({kind.type, kind.name});
  return table;
}

Pose read_pose(Fields fields) {
  Pose pose{fields.matrix3("R", kPlain), fields.vector3("p", kPlain)};
  fields.finish();
  return pose;
}

BodySpec read_body(Fields& fields) {
  BodySpec body;
  body.name = fields.text("name");
  body.mass = fields.number("mass", kPlain, Range::kNonNegative);
  body.com = fields.vector3("com", kPlain);
  body.inertia = fields.matrix3("inertia", kPlain);
  fields.finish();
  return body;
}

FunctionSpec read_profile(Fields fields) {
  FunctionSpec profile;
  profile.polynomial = {fields.number("r0", kPlain)};
  if (const YamlNode* harmonics = fields.node("harmonics")) {
    const std::string path = fields.path_of("harmonics");
    for (std::size_t i = 0; i < harmonics->items.size(); ++i) {
      const auto pair = fields.values().numbers(harmonics->items[i], item_path(path, i), kPlain, Range::kAny);
      if (pair && pair->size() == 2) {
        profile.harmonics.push_back({(*pair)[0], (*pair)[1]});
      } else if (pair) {
        fields.values().report(harmonics->items[i], item_path(path, i), "must be a pair of numbers");
      }
    }
  }
  fields.finish();
  return profile;
}

/// The lists k, q0 and c, one entry per speed.
std::vector<CoordinateSpec> read_springs(Fields fields, std::size_t nv) {
  std::vector<CoordinateSpec> coordinates(nv);
  const auto read = [&](const char* key, double CoordinateSpec::*member) {
    const std::vector<double> values = fields.numbers(key, kPlain);
    if (values.size() != nv) {
      if (fields.has(key) && !values.empty()) fields.error(key, "needs " + std::to_string(nv) + " entries");
      return;
    }
    for (std::size_t i = 0; i < nv; ++i) coordinates[i].*member = values[i];
  };
  read("k", &CoordinateSpec::stiffness);
  read("q0", &CoordinateSpec::rest);
  read("c", &CoordinateSpec::damping);
  fields.finish();
  return coordinates;
}

JointSpec read_joint(Fields& fields) {
  JointSpec joint;
  joint.name = fields.text("name");
  const std::vector<KindName<JointType>> types = joint_types();
  const std::optional<JointType> type = fields.choice<JointType>("type", types);
  joint.type = type.value_or(JointType::kFixed);
  joint.predecessor = fields.text("predecessor");
  joint.successor = fields.text("successor");
  joint.frame_pred = read_pose(fields.child("frame_pred"));
  joint.frame_succ = read_pose(fields.child("frame_succ"));
  joint.pitch = fields.number_or("pitch", kPlain, 0.0);
  if (auto profile = fields.optional_child("profile")) joint.profile = read_profile(std::move(*profile));
  auto spring = fields.optional_child("spring");
  if (spring && type) {
    joint.coordinates = read_springs(std::move(*spring), static_cast<std::size_t>(joint_kind(*type).nv));
  }
  fields.finish();
  return joint;
}

SpringSpec read_spring(Fields& fields, std::size_t index) {
  SpringSpec spring;
  spring.name = fields.optional_text("name").value_or("spring" + std::to_string(index + 1));
  spring.body_a = fields.text("body_a");
  spring.body_b = fields.text("body_b");
  spring.point_a = fields.vector3("point_a", kPlain);
  spring.point_b = fields.vector3("point_b", kPlain);
  spring.stiffness = fields.number("k", kPlain);
  spring.rest_length = fields.number("l0", kPlain);
  spring.damping = fields.number("c", kPlain);
  fields.finish();
  return spring;
}

/// The offsets must be those we give: one joint after the other.
void check_coordinates(Fields& model, const ModelSpec& spec) {
  if (!model.has("coordinates")) return;
  StateSize at;
  std::size_t index = 0;
  for (Fields& entry : model.list("coordinates")) {
    const std::string joint = entry.text("joint");
    const std::vector<double> q = entry.numbers("q", kPlain);
    const std::vector<double> u = entry.numbers("u", kPlain);
    entry.has("type");
    entry.finish();
    if (index >= spec.joints.size() || joint != spec.joints[index].name) {
      entry.error("joint", "coordinates must stand in the order of the joints");
      return;
    }
    const JointKind& kind = joint_kind(spec.joints[index++].type);
    const auto starts_at = [](const std::vector<double>& range, std::size_t first, int count) {
      const auto begin = static_cast<double>(first);
      return range.size() == 2 && range[0] == begin && range[1] == begin + count;
    };
    if (!starts_at(q, at.nq, kind.nq)) entry.error("q", "must start at " + std::to_string(at.nq));
    if (!starts_at(u, at.nu, kind.nv)) entry.error("u", "must start at " + std::to_string(at.nu));
    at.nq += static_cast<std::size_t>(kind.nq);
    at.nu += static_cast<std::size_t>(kind.nv);
  }
}

}  // namespace

ModelSpec read_vector_model(Fields& model) {
  ModelSpec spec;
  spec.name = model.text("name");
  const YamlNode* notes = model.node("notes");
  if (notes != nullptr && notes->is_scalar()) spec.notes = notes->text;
  model.has("schema");
  model.has("planar");
  spec.gravity = model.vector3("gravity", kPlain);
  for (Fields& body : model.list("bodies")) spec.bodies.push_back(read_body(body));
  for (Fields& joint : model.list("joints")) spec.joints.push_back(read_joint(joint));
  for (Fields& loop : model.optional_list("loops")) spec.loops.push_back(read_joint(loop));
  for (Fields& spring : model.optional_list("springs")) {
    spec.springs.push_back(read_spring(spring, spec.springs.size()));
  }
  check_coordinates(model, spec);
  model.finish();
  return spec;
}

StateSize state_size(const ModelSpec& spec) noexcept {
  StateSize size;
  for (const JointSpec& joint : spec.joints) {
    size.nq += static_cast<std::size_t>(joint_kind(joint.type).nq);
    size.nu += static_cast<std::size_t>(joint_kind(joint.type).nv);
  }
  return size;
}

}  // namespace kinloop
