// Reads the sections of a model file in order, and maps compile()'s errors back to the file.
#include "services/files/model_file.hpp"

#include <set>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "core/constraints/compile.hpp"
#include "core/model/name_checks.hpp"
#include "core/model/spec_checks.hpp"
#include "core/model/tree_order.hpp"
#include "services/files/best_cuts.hpp"
#include "services/files/model_sections.hpp"
#include "services/files/parameters.hpp"
#include "services/files/repeats.hpp"
#include "services/files/source_map.hpp"

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

/// What was found in a document, and where.
struct Reading {
  explicit Reading(const YamlDocument& document)
      : diagnostics(document.file_name, document.former_keys), places(document.root) {}

  Diagnostics diagnostics;
  SourceMap places;               // of the fields that compile() names
  std::set<std::string> misread;  // entries of the spec with an error of their own: "bodies[2]"
  ModelSpec spec;
  bool chooses_cuts = false;  // instead of the file
};

/// Reads the lists of the root, repeats written out, and notes where each entry stands.
class ListReader {
 public:
  ListReader(Fields& root, const ParameterScope& scope, Reading& reading)
      : root_(root), repeats_(scope, reading.diagnostics), reading_(reading) {}

  template <class Spec, class Read>
  void read(const std::string& key, std::vector<Spec>& specs, Read read_entry) {
    const YamlNode* list = root_.optional_sequence(key);
    if (list == nullptr) return;
    for (const ListEntry& entry : repeats_.entries_of(*list, key)) {
      if (reading_.diagnostics.is_full()) return;
      const std::size_t errors_before = reading_.diagnostics.count();
      const std::string path = item_path(key, specs.size());
      note_place(path, entry);
      if (entry.node == nullptr) {
        specs.emplace_back();  // without a name: what refers to it is not judged
      } else {
        Fields fields(*entry.node, entry.path, reading_.diagnostics, *entry.scope);
        specs.push_back(read_entry(fields));
      }
      if (entry.node == nullptr || reading_.diagnostics.count() > errors_before) reading_.misread.insert(path);
    }
  }

 private:
  void note_place(const std::string& path, const ListEntry& entry) {
    const std::string& round = entry.scope->round();
    if (path != entry.path) reading_.places.alias(path, entry.path, round);
    const bool is_coordinate_itself = (path.starts_with("joints") || path.starts_with("loops")) &&
                                      entry.node != nullptr && has_coordinate_keys(*entry.node);
    if (is_coordinate_itself) reading_.places.alias(path + ".coordinates[0]", entry.path, round);
  }

  Fields& root_;
  Repeats repeats_;
  Reading& reading_;
};

Reading read(const YamlDocument& document) {
  Reading reading(document);
  const ParameterScope scope = parameters_of(document.root, reading.diagnostics);
  Fields root(document.root, "", reading.diagnostics, scope);
  ModelSpec& spec = reading.spec;
  check_sections(root);
  (void)root.has("parameters");  // read above, before the fields that use them
  spec.name = root.optional_text("name").value_or("");
  spec.notes = root.optional_text("notes").value_or("");
  spec.gravity = root.optional_vector3("gravity", Dimension::acceleration()).value_or(spec.gravity);
  if (const std::optional<std::string> cuts = root.optional_text("cuts")) {
    reading.chooses_cuts = *cuts == "auto";
    if (!reading.chooses_cuts) root.error("cuts", "is " + in_quotes(*cuts) + ", which is not known; known: auto");
  }
  ListReader lists(root, scope, reading);
  lists.read("bodies", spec.bodies, read_body);
  lists.read("joints", spec.joints, read_joint);
  lists.read("loops", spec.loops, read_loop);
  lists.read("springs", spec.springs, read_spring);
  lists.read("bushings", spec.bushings, read_bushing);
  JointTypes types;
  for (const JointSpec& joint : spec.joints) types.emplace(joint.name, joint.type);
  lists.read("ropes", spec.ropes, [&](Fields& item) { return read_rope(item, types); });
  lists.read("planes", spec.planes, read_plane);
  lists.read("contacts", spec.contacts, read_contact);
  lists.read("couplings", spec.couplings, [&](Fields& item) { return read_coupling(item, types); });
  lists.read("frames", spec.frames, read_frame_on_body);
  lists.read("scenery", spec.scenery, read_scenery);
  root.finish();
  return reading;
}

/// Of a file with wrong fields, finds what else is wrong with certainty: numbers of entries that were read well, names
/// and the tree. Nothing that may only follow from what was reported.
void check_the_rest(Reading& reading) {
  if (reading.diagnostics.is_full()) return;
  const ModelSpec& spec = reading.spec;
  Errors warnings;
  Errors numbers;
  check_entries(spec, numbers, warnings);
  std::erase_if(numbers, [&](const Error& error) {
    return reading.misread.contains(error.where.substr(0, error.where.find(']') + 1));
  });
  Errors names;
  check_names(spec, names);
  Errors not_given;
  check_given(spec, not_given);
  if (names.empty() && not_given.empty() && !spec.joints.empty()) check_tree(spec, names);
  for (const Errors& errors : {numbers, names}) {
    for (const Error& error : errors) reading.places.report(error, reading.diagnostics);
  }
}

Errors placed(const Reading& reading, const Errors& errors) {
  Diagnostics diagnostics(reading.diagnostics.file_name());
  for (const Error& error : errors) reading.places.report(error, diagnostics);
  return diagnostics.errors();
}

/// The model opened where the criterion says, or as the file has it, with the reason.
Model with_chosen_cuts(Model model, const Reading& reading, Errors& warnings) {
  const auto keep = [&](const std::string& why) {
    for (Error& error : placed(reading, {{"cuts", "stay as the file has them: " + why}})) {
      warnings.push_back(std::move(error));
    }
    return std::move(model);
  };
  const Result<CutChoice> choice = choose_cuts_at_start(model);
  if (!choice) return keep(choice.error().what);
  if (choice->chosen == choice->given) return model;
  const Result<ModelSpec> spec = with_cuts(model, choice->cuts);
  if (!spec) return keep(spec.error().where + " " + spec.error().what);
  Result<Model, CompileErrors> other = compile(*spec);
  if (!other) return keep(other.error().front().what);
  return std::move(other).value();
}

}  // namespace

bool is_model_file(const YamlNode& root) noexcept {
  return root.find("kinloop") != nullptr || root.find("bodies") != nullptr || root.find("joints") != nullptr;
}

Result<ModelSpec, Errors> read_model(const YamlDocument& document) {
  Reading reading = read(document);
  if (!reading.diagnostics.empty()) return reading.diagnostics.errors();
  return std::move(reading.spec);
}

Result<CompiledModelFile, Errors> compile_model(const YamlDocument& document) {
  Reading reading = read(document);
  if (!reading.diagnostics.empty()) {
    check_the_rest(reading);
    return reading.diagnostics.errors();
  }
  Result<Model, CompileErrors> model = compile(reading.spec);
  if (!model) return placed(reading, model.error());
  Errors warnings = placed(reading, model->warnings());
  Model made = std::move(model).value();
  if (reading.chooses_cuts) made = with_chosen_cuts(std::move(made), reading, warnings);
  return CompiledModelFile{std::move(made), std::move(warnings)};
}

}  // namespace kinloop
