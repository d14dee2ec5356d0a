// Reads the head of a rig, loads its model, then reads what refers to the model.
#include "services/rig/rig_file.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/nearest_name.hpp"
#include "core/dynamics/loop_cost.hpp"
#include "core/integrators/integrator.hpp"
#include "services/files/model_file.hpp"
#include "services/files/yaml_document.hpp"
#include "services/rig/rig_tables.hpp"
#include "services/rig/rig_times.hpp"

namespace kinloop {
namespace {

using Errors = std::vector<Error>;

constexpr double kFormatVersion = 1.0;

/// A rig while it is read.
struct RigReading {
  explicit RigReading(const YamlDocument& document)
      : diagnostics(document.file_name, document.former_keys),
        warnings(document.file_name),
        root(document.root, "", diagnostics, no_parameters),
        file_name(document.file_name) {}

  RigReading(const RigReading&) = delete;  // the fields refer to the diagnostics
  RigReading& operator=(const RigReading&) = delete;

  Diagnostics diagnostics;
  Diagnostics warnings;
  ParameterScope no_parameters;
  Fields root;
  std::filesystem::path file_name;
  RigSpec spec;
};

void read_version(Fields& root) {
  if (!root.mapping().is_mapping()) return;
  if (!root.has("kinloop_rig")) {
    root.error("", "missing key 'kinloop_rig'; a rig file says 'kinloop_rig: 1', the version of its format");
  }
  const std::optional<double> version = root.optional_number("kinloop_rig", Dimension::none());
  if (version && *version != kFormatVersion) {
    root.error("kinloop_rig", "this program knows version 1 of the format only");
  }
}

/// Kept as they are written: they are read where the model's own are.
std::vector<ParameterSetting> read_settings(Fields& root) {
  std::vector<ParameterSetting> settings;
  const YamlNode* section = root.node("parameters");
  if (section == nullptr || section->is_null()) return settings;
  if (!section->is_mapping()) {
    root.error("parameters", "expected a mapping of names to numbers, got " + std::string(kind_name(*section)));
    return settings;
  }
  for (const YamlEntry& entry : section->entries) {
    if (entry.value.is_scalar()) {
      settings.push_back({entry.key, entry.value.text});
    } else {
      root.values().report(entry.value, "parameters." + entry.key,
                           "expected a number or an expression, got " + std::string(kind_name(entry.value)));
    }
  }
  return settings;
}

void read_head(RigReading& reading) {
  Fields& root = reading.root;
  RigSpec& spec = reading.spec;
  read_version(root);
  const std::string model = root.text("model");
  if (!model.empty()) spec.model = (reading.file_name.parent_path() / model).lexically_normal();
  spec.base = root.choice_or("base", base_names(), spec.base);
  spec.parameters = read_settings(root);
}

/// Delays are memory of the plant.
void check_delays(Fields& root, const RigScope& scope, const PlantSpec& plant) {
  if (!scope.dt_s) return;
  double steps = 0.0;
  for (const ActuatorSpec& actuator : plant.actuators) steps += actuator.chain.delay_s / *scope.dt_s;
  for (const SensorSpec& sensor : plant.sensors) steps += sensor.settings.delay_s / *scope.dt_s;
  if (steps <= kMaxDelayStepsOfAll) return;
  root.error("", "the delays of all actuators and sensors add up to " + std::to_string(std::llround(steps)) +
                     " steps; at most " + std::to_string(std::llround(kMaxDelayStepsOfAll)) + " can be kept");
}

/// A step in which an answer fails its check is repeated by another formulation: its deadline has to leave room.
void warn_of_fallbacks(Fields& root, const RigScope& scope, const PlantSpec& plant) {
  constexpr int kMaxSpeeds = 500;  // estimating more takes longer than it tells
  if (scope.model == nullptr || !scope.dt_s || scope.model->nv() > kMaxSpeeds || plant.levels.empty()) return;
  const SolverLevel& level = plant.levels.front();
  const std::optional<EvaluationCost> cost = estimate_evaluation(level.dynamics, *scope.model);
  if (!cost) return;
  int evaluations = level.substeps;
  for (const IntegratorKind& kind : integrator_kinds()) {
    if (kind.name == level.integrator) evaluations *= kind.evaluations;
  }
  const double longest_us = 1e-3 * evaluations * cost->with_fallback_ns;
  const double period_us = 1e6 * *scope.dt_s;
  if (longest_us <= period_us) return;
  warn(root, root.has("rate") ? "rate" : "step",
       "leaves " + std::to_string(std::lround(period_us)) + " us for a step, and one that another formulation has to " +
           "repeat takes about " + std::to_string(std::lround(longest_us)) + " us",
       scope);
}

/// All but the head. Without a model, only what does not depend on it is checked.
void read_rest(RigReading& reading, const Model* model) {
  Fields& root = reading.root;
  RigSpec& spec = reading.spec;
  RigScope scope{model, read_step(root), &reading.warnings, reading.file_name.parent_path(), &spec};
  if (scope.dt_s) spec.plant.dt_s = *scope.dt_s;
  read_fields(rig_fields(), root, scope, spec);
  if (spec.mode == rt::Mode::kRealTime) {
    warn_of_period(root, scope);
    warn_of_fallbacks(root, scope, spec.plant);
  }
  check_delays(root, scope, spec.plant);
  root.finish();
  if (spec.name.empty() && model != nullptr) spec.name = model->name();
  if (spec.name.empty()) spec.name = reading.file_name.stem().string();
}

/// Of the errors of a model, those about parameters that the rig sets become errors of the rig; the others stay.
Errors take_over(const Errors& errors, RigReading& reading) {
  Errors of_model;
  for (const Error& error : errors) {
    const std::optional<std::string> name = parameter_at_fault(error);
    const YamlNode* section = reading.root.node("parameters");
    const YamlEntry* entry = name && section != nullptr ? section->find(*name) : nullptr;
    if (entry == nullptr) {
      of_model.push_back(error);
    } else {
      reading.root.values().report(entry->value, "parameters." + *name, error.what);
    }
  }
  return of_model;
}

/// The model, or what is wrong with its file.
struct ModelOrErrors {
  std::optional<LoadedModel> model;
  Errors errors;
};

ModelOrErrors load_named_model(RigReading& reading) {
  const RigSpec& spec = reading.spec;
  if (spec.model.empty()) return {};
  std::error_code failure;
  if (!std::filesystem::exists(spec.model, failure)) {
    reading.root.error("model", "there is no file " + in_quotes(spec.model.string()));
    return {};
  }
  LoadOptions options;
  options.import.base = spec.base;
  options.parameters = spec.parameters;
  options.former_keys = reading.diagnostics.former_keys();
  Result<LoadedModel, Errors> model = load_model(spec.model, options);
  if (model) return {std::move(model).value(), {}};
  return {std::nullopt, take_over(model.error(), reading)};
}

std::optional<Error> other_kind_of_file(const YamlDocument& document) {
  const YamlNode& root = document.root;
  if (root.find("kinloop_rig") != nullptr || !is_model_file(root)) return std::nullopt;
  return Error{document.file_name,
               "is a model, not a rig: a rig file says 'kinloop_rig: 1' and names its model under "
               "'model'"};
}

/// What is set twice is set by the first list.
void put_before(const std::vector<ParameterSetting>& first, std::vector<ParameterSetting>& list) {
  std::erase_if(list, [&](const ParameterSetting& setting) {
    return std::any_of(first.begin(), first.end(), [&](const auto& other) { return other.name == setting.name; });
  });
  list.insert(list.end(), first.begin(), first.end());
}

Result<LoadedRig, Errors> load(const YamlDocument& document, const std::vector<ParameterSetting>& parameters = {}) {
  if (const std::optional<Error> other = other_kind_of_file(document)) return Errors{*other};
  RigReading reading(document);
  read_head(reading);
  put_before(parameters, reading.spec.parameters);
  ModelOrErrors loaded = load_named_model(reading);
  read_rest(reading, loaded.model ? &loaded.model->model : nullptr);
  if (!reading.diagnostics.empty() || !loaded.model) {
    Errors errors = reading.diagnostics.errors();
    errors.insert(errors.end(), loaded.errors.begin(), loaded.errors.end());
    return errors;
  }
  return LoadedRig{std::move(reading.spec), std::move(*loaded.model), reading.warnings.errors()};
}

}  // namespace

Result<LoadedRig, Errors> load_rig(const std::filesystem::path& path, const std::vector<ParameterSetting>& parameters,
                                   FormerKeys former_keys) {
  auto document = read_yaml_file(path);
  if (!document) return document.error();
  document->former_keys = former_keys == FormerKeys::kAccepted ? FormerKeys::kAccepted : former_keys_in(path);
  return load(*document, parameters);
}

Result<LoadedRig, Errors> load_rig_text(const std::string& text, const std::string& file_name) {
  const auto document = parse_yaml(text, file_name);
  if (!document) return document.error();
  return load(*document);
}

Result<ReadRig, Errors> read_rig_text(const std::string& text, const std::string& file_name, const Model& model) {
  const auto document = parse_yaml(text, file_name);
  if (!document) return document.error();
  if (const std::optional<Error> other = other_kind_of_file(*document)) return Errors{*other};
  RigReading reading(*document);
  read_head(reading);
  read_rest(reading, &model);
  if (!reading.diagnostics.empty()) return reading.diagnostics.errors();
  return ReadRig{std::move(reading.spec), reading.warnings.errors()};
}

}  // namespace kinloop
