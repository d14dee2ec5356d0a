// Reads the sections of a model file in order, and finds the way back from compile()'s errors to the file.
#include "services/files/model_file.hpp"

#include <utility>

#include "services/files/model_sections.hpp"
#include "services/files/parameters.hpp"

namespace kinloop {
namespace {

using Errors = std::vector<Error>;

constexpr double kFormatVersion = 1.0;

/// The keys every model file has.
void check_sections(Fields& root) {
  if (!root.mapping().is_mapping()) return;
  if (!root.has("kinloop")) {
    root.error("", "missing key 'kinloop'; a model file says 'kinloop: 1', the version of its format");
  }
  if (!root.has("bodies")) root.error("", "missing key 'bodies'");
  if (!root.has("joints")) root.error("", "missing key 'joints'");
  const std::optional<double> version = root.optional_number("kinloop", Dimension::none());
  if (version && *version != kFormatVersion) {
    root.error("kinloop", "this program knows version 1 of the format only");
  }
}

ParameterScope parameters_of(const YamlNode& root, Diagnostics& diagnostics) {
  const YamlEntry* section = root.find("parameters");
  if (section == nullptr) return {};
  return read_parameters(section->value, diagnostics);
}

/// Reads every item of a list of mappings.
template <class Spec, class Read>
void read_list(Fields& root, std::string_view key, std::vector<Spec>& specs, Read read) {
  for (Fields& item : root.optional_list(key)) {
    if (item.values().diagnostics().is_full()) return;
    specs.push_back(read(item));
  }
}

Errors placed(const YamlDocument& document, const Errors& errors) {
  const SourceMap map = model_source_map(document);
  Diagnostics diagnostics(document.file_name);
  for (const Error& error : errors) map.report(error, diagnostics);
  return diagnostics.errors();
}

}  // namespace

bool is_model_file(const YamlNode& root) noexcept {
  return root.find("kinloop") != nullptr || root.find("bodies") != nullptr || root.find("joints") != nullptr;
}

Result<ModelSpec, Errors> read_model(const YamlDocument& document) {
  Diagnostics diagnostics(document.file_name);
  const ParameterScope scope = parameters_of(document.root, diagnostics);
  Fields root(document.root, "", diagnostics, scope);
  ModelSpec spec;
  check_sections(root);
  (void)root.has("parameters");  // read above, before the fields that use them
  spec.name = root.optional_text("name").value_or("");
  spec.notes = root.optional_text("notes").value_or("");
  spec.gravity = root.optional_vector3("gravity", Dimension::acceleration()).value_or(spec.gravity);
  read_list(root, "bodies", spec.bodies, read_body);
  read_list(root, "joints", spec.joints, read_joint);
  read_list(root, "loops", spec.loops, read_loop);
  read_list(root, "springs", spec.springs, read_spring);
  read_list(root, "bushings", spec.bushings, read_bushing);
  JointTypes types;
  for (const JointSpec& joint : spec.joints) types.emplace(joint.name, joint.type);
  read_list(root, "couplings", spec.couplings, [&](Fields& item) { return read_coupling(item, types); });
  read_list(root, "frames", spec.frames, read_frame_on_body);
  root.finish();
  if (!diagnostics.empty()) return diagnostics.errors();
  return spec;
}

Result<ModelSpec, Errors> read_model_text(const std::string& text, const std::string& file_name) {
  const auto document = parse_yaml(text, file_name);
  if (!document) return document.error();
  return read_model(*document);
}

Result<ModelSpec, Errors> read_model_file(const std::filesystem::path& path) {
  const auto document = read_yaml_file(path);
  if (!document) return document.error();
  return read_model(*document);
}

SourceMap model_source_map(const YamlDocument& document) {
  SourceMap map(document.root);
  const YamlEntry* joints = document.root.find("joints");
  if (joints == nullptr) return map;
  for (std::size_t i = 0; i < joints->value.items.size(); ++i) {
    const std::string joint = item_path("joints", i);
    if (has_coordinate_keys(joints->value.items[i])) map.alias(joint + ".coordinates[0]", joint);
  }
  return map;
}

Result<CompiledModelFile, Errors> compile_model(const YamlDocument& document) {
  const Result<ModelSpec, Errors> spec = read_model(document);
  if (!spec) return spec.error();
  Result<Model, CompileErrors> model = compile(*spec);
  if (!model) return placed(document, model.error());
  Errors warnings = placed(document, model->warnings());
  return CompiledModelFile{std::move(model).value(), std::move(warnings)};
}

Result<CompiledModelFile, Errors> compile_model_text(const std::string& text, const std::string& file_name) {
  const auto document = parse_yaml(text, file_name);
  if (!document) return document.error();
  return compile_model(*document);
}

Result<CompiledModelFile, Errors> compile_model_file(const std::filesystem::path& path) {
  const auto document = read_yaml_file(path);
  if (!document) return document.error();
  return compile_model(*document);
}

}  // namespace kinloop
