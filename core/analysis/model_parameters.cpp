// Finds numbers of a ModelSpec by name, and compiles its neighbours.
#include "core/analysis/model_parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/base/nearest_name.hpp"
#include "core/constraints/compile.hpp"

namespace kinloop {
namespace {

/// Of a parameter's value: forces are of the second degree in it at most, so that any step will do.
constexpr double kNeighbourStep = 0x1p-3;

struct CoordinateParameter {
  std::string_view kind;
  double CoordinateSpec::*value;
};
constexpr std::array kCoordinateParameters = {CoordinateParameter{"damping", &CoordinateSpec::damping},
                                              CoordinateParameter{"friction", &CoordinateSpec::dry_friction},
                                              CoordinateParameter{"stiffness", &CoordinateSpec::stiffness},
                                              CoordinateParameter{"force", &CoordinateSpec::force},
                                              CoordinateParameter{"rotor_inertia", &CoordinateSpec::rotor_inertia}};

/// Calls take(name, value) for each, zero or not.
template <class Spec, class Take>
void for_each_parameter(Spec& spec, Take&& take) {
  for (auto& body : spec.bodies) take("mass." + body.name, body.mass);
  for (auto& joint : spec.joints) {
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const std::string name = joint.coordinates.size() > 1 ? joint.name + "." + std::to_string(i) : joint.name;
      for (const CoordinateParameter& parameter : kCoordinateParameters) {
        take(std::string(parameter.kind) + "." + name, joint.coordinates[i].*parameter.value);
      }
    }
  }
  for (auto& spring : spec.springs) {
    take("damping." + spring.name, spring.damping);
    take("stiffness." + spring.name, spring.stiffness);
  }
}

bool fits_pattern(const std::string& name, const std::string& pattern) {
  if (!pattern.ends_with('*')) return name == pattern;
  return name.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
}

}  // namespace

NamedValues model_parameters(const Model& model) {
  NamedValues all;
  for_each_parameter(model.spec(), [&](const std::string& name, double value) {
    if (value != 0.0) all.emplace_back(name, value);
  });
  return all;
}

Result<NamedValues> choose_parameters(const Model& model, const std::vector<std::string>& patterns) {
  const NamedValues all = model_parameters(model);
  NamedValues chosen;
  for (const std::string& pattern : patterns) {
    bool found = false;
    for (const auto& one : all) {
      if (!fits_pattern(one.first, pattern)) continue;
      found = true;
      if (std::find(chosen.begin(), chosen.end(), one) == chosen.end()) chosen.push_back(one);
    }
    if (found) continue;
    std::vector<std::string_view> names;
    for (const auto& one : all) names.push_back(one.first);
    return Error{
        "parameters",
        in_quotes(pattern) + " is no parameter of this mechanism that is not zero" + did_you_mean(pattern, names),
        ErrorKind::kUnknownName};
  }
  return chosen;
}

Result<Model> with_parameters(const Model& model, const NamedValues& values) {
  ModelSpec spec = model.spec();
  for_each_parameter(spec, [&](const std::string& name, double& value) {
    for (const auto& [given, wanted] : values) {
      if (given == name) value = wanted;
    }
  });
  auto compiled = compile(spec);
  if (!compiled) return compiled.error().front();
  return std::move(compiled).value();
}

Result<std::vector<std::unique_ptr<ParameterModels>>> parameter_neighbours(const Model& model,
                                                                           const NamedValues& values) {
  std::vector<std::unique_ptr<ParameterModels>> all;
  for (const auto& [name, value] : values) {
    const double step = kNeighbourStep * std::abs(value);
    const auto moved = [&, name = name, value = value](double by) {
      return with_parameters(model, {{name, value + by}});
    };
    auto up = moved(step), down = moved(-step), half_up = moved(0.5 * step), half_down = moved(-0.5 * step);
    for (const auto* one : {&up, &down, &half_up, &half_down}) {
      if (!*one) return Error{"parameters", name + ": " + one->error().what};
      if (!moves_alike(model, **one)) return Error{"parameters", name + " moves bodies apart"};
    }
    all.push_back(std::make_unique<ParameterModels>(ParameterModels{std::move(up).value(), std::move(down).value(),
                                                                    std::move(half_up).value(),
                                                                    std::move(half_down).value(), step}));
  }
  return all;
}

}  // namespace kinloop
