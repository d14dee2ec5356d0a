// Reads the cases of a vector file, or the start of a trajectory, after its model.
#include "services/files/vector_file.hpp"

#include <algorithm>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "core/joints/joint.hpp"
#include "services/files/field_reader.hpp"
#include "services/files/vector_model.hpp"

namespace kinloop {
namespace {

constexpr std::string_view kSchema = "mbs-vectors-1";
constexpr Dimension kAnyUnit = Dimension::any();
constexpr long long kMaxRows = 1'000'000;

ExpectedBody read_expected_body(Fields& fields) {
  ExpectedBody body;
  body.name = fields.text("name");
  body.R = fields.matrix3("R", kAnyUnit);
  body.p = fields.vector3("p", kAnyUnit);
  body.omega = fields.vector3("omega", kAnyUnit);
  body.v_origin = fields.vector3("v_origin", kAnyUnit);
  body.alpha = fields.vector3("alpha", kAnyUnit);
  body.a_origin = fields.vector3("a_origin", kAnyUnit);
  body.a_com = fields.vector3("a_com", kAnyUnit);
  fields.finish();
  return body;
}

ExpectedReaction read_reaction(std::string joint, Fields& fields) {
  ExpectedReaction reaction;
  reaction.joint = std::move(joint);
  fields.has("point");
  reaction.force = fields.vector3("force", kAnyUnit);
  reaction.moment = fields.vector3("moment", kAnyUnit);
  const YamlNode* unique = fields.node("unique");
  if (unique == nullptr || unique->items.size() != reaction.unique.size()) {
    fields.error("unique", "must be a list of six booleans");
  } else {
    for (std::size_t i = 0; i < reaction.unique.size(); ++i) {
      const std::string path = item_path(fields.path_of("unique"), i);
      reaction.unique[i] = fields.values().boolean(unique->items[i], path).value_or(false);
    }
  }
  fields.finish();
  return reaction;
}

/// Numbers of a state, which must be as many as the model has.
std::vector<double> read_state(Fields& fields, const char* key, std::size_t count) {
  std::vector<double> values = fields.numbers(key, kAnyUnit);
  if (values.size() != count && fields.has(key)) {
    fields.error(key,
                 "has " + std::to_string(values.size()) + " entries where the model needs " + std::to_string(count));
  }
  values.resize(count, 0.0);
  return values;
}

ExpectedValues read_expected(Fields fields, const StateSize& size) {
  ExpectedValues expected;
  expected.udot = read_state(fields, "udot", size.nu);
  for (Fields& body : fields.list("bodies")) expected.bodies.push_back(read_expected_body(body));
  for (auto& [joint, reaction] : fields.optional_entries("reactions")) {
    expected.reactions.push_back(read_reaction(joint, reaction));
  }
  expected.dof = static_cast<int>(fields.integer("dof", 0, kMaxRows));
  expected.rank = static_cast<int>(fields.integer("rank", 0, kMaxRows));
  expected.constraint_rows = static_cast<int>(fields.integer("constraint_rows", 0, kMaxRows));
  expected.kinetic_energy = fields.number("kinetic_energy", kAnyUnit);
  expected.potential_energy = fields.number("potential_energy", kAnyUnit);
  fields.finish();
  return expected;
}

VectorCase read_case(Fields& fields, const StateSize& size) {
  VectorCase one;
  one.kind = fields.text("kind");
  fields.has("seed");
  fields.has("quality");
  one.q = read_state(fields, "q", size.nq);
  one.u = read_state(fields, "u", size.nu);
  one.tau = read_state(fields, "tau", size.nu);
  for (Fields& wrench : fields.optional_list("external")) {
    one.external.push_back({wrench.text("body"), wrench.vector3("point", kAnyUnit), wrench.vector3("force", kAnyUnit),
                            wrench.vector3("moment", kAnyUnit)});
    wrench.finish();
  }
  one.expected = read_expected(fields.child("expected"), size);
  fields.finish();
  return one;
}

/// Names in the cases must be names of the model.
void check_names(const VectorFile& file, const std::vector<Fields>& cases) {
  const auto names_of = [](const auto& list, std::vector<std::string_view> names = {}) {
    for (const auto& item : list) names.push_back(item.name);
    return names;
  };
  const std::vector<std::string_view> bodies = names_of(file.spec.bodies);
  const std::vector<std::string_view> joints = names_of(file.spec.loops, names_of(file.spec.joints));
  const auto check = [](Fields& fields, std::string_view key, const char* kind, const std::string& name,
                        const std::vector<std::string_view>& known) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    fields.error(key, std::string("no ") + kind + " is named " + in_quotes(name) + did_you_mean(name, known));
  };
  for (std::size_t i = 0; i < file.cases.size(); ++i) {
    Fields fields = cases[i];
    const VectorCase& one = file.cases[i];
    for (const AppliedWrench& wrench : one.external) check(fields, "external", "body", wrench.body, bodies);
    for (const ExpectedBody& body : one.expected.bodies) check(fields, "expected", "body", body.name, bodies);
    for (const ExpectedReaction& reaction : one.expected.reactions) {
      check(fields, "expected", "joint", reaction.joint, joints);
    }
  }
}

void set_initial_state(const std::vector<double>& q, const std::vector<double>& u, ModelSpec& spec) {
  auto q_at = q.begin();
  auto u_at = u.begin();
  for (JointSpec& joint : spec.joints) {
    const JointKind& kind = joint_kind(joint.type);
    joint.initial_q.assign(q_at, q_at + kind.nq);
    joint.initial_u.assign(u_at, u_at + kind.nv);
    q_at += kind.nq;
    u_at += kind.nv;
  }
}

}  // namespace

bool is_vector_file(const YamlNode& root) noexcept {
  if (!root.is_mapping()) return false;
  const YamlEntry* model = root.find("model");
  if (model == nullptr || !model->value.is_mapping()) return false;
  const YamlEntry* schema = model->value.find("schema");
  return schema != nullptr && schema->value.text == kSchema;
}

Result<VectorFile, std::vector<Error>> read_vector_file(const YamlDocument& document) {
  Diagnostics diagnostics(document.file_name);
  const ParameterScope no_parameters;
  Fields root(document.root, "", diagnostics, no_parameters);

  VectorFile file;
  Fields model = root.child("model");
  file.spec = read_vector_model(model);
  const StateSize size = state_size(file.spec);
  std::vector<double> q;
  std::vector<double> u;
  if (root.has("cases")) {
    std::vector<Fields> cases = root.list("cases");
    if (cases.empty()) root.error("cases", "must hold at least one case");
    for (Fields& one : cases) file.cases.push_back(read_case(one, size));
    root.finish();
    check_names(file, cases);
  } else {  // a trajectory: what else it holds describes how it was computed
    q = read_state(root, "q0", size.nq);
    u = read_state(root, "u0", size.nu);
    const YamlNode* tau = root.node("tau");
    if (tau != nullptr && !tau->is_null()) file.tau = read_state(root, "tau", size.nu);
  }
  if (!file.cases.empty()) {
    q = file.cases.front().q;
    u = file.cases.front().u;
    file.tau = file.cases.front().tau;
  }
  if (!diagnostics.empty()) return diagnostics.errors();
  file.tau.resize(size.nu, 0.0);
  set_initial_state(q, u, file.spec);
  return file;
}

}  // namespace kinloop
