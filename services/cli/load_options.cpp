// Words for the choices of the importers, and parameters that replace those of the file.
#include "services/cli/load_options.hpp"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/nearest_name.hpp"

namespace kinloop::cli {
namespace {

/// Reads "name=value". CLI11 wants what is wrong with an argument thrown.
ParameterSetting read_setting(const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0) {
    throw CLI::ValidationError("--set", "expected name=value, got " + in_quotes(text));
  }
  return {text.substr(0, sign), text.substr(sign + 1)};
}

}  // namespace

void add_load_options(CLI::App& verb, LoadOptions& options) {
  std::vector<std::string> bases;
  for (const KindName<BaseKind>& base : base_names()) bases.emplace_back(base.name);
  verb.add_option_function<std::vector<std::string>>(
          "--set",
          [&options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) options.parameters.push_back(read_setting(text));
          },
          "give a parameter of the file another value: name=value, with a unit or as an expression; may be repeated")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME=VALUE");
  verb.add_option_function<std::string>(
          "--base",
          [&options](const std::string& name) {
            if (const Result<BaseKind> base = find_base(name)) options.import.base = *base;
          },
          "how a URDF or SDF that is not attached to the world stands: auto, fixed, floating")
      ->check(CLI::IsMember(bases))
      ->default_str("auto");
  verb.add_option_function<std::string>(
          "--closed-loops", [&options](const std::string& file) { options.closed_loops = file; },
          "a YAML file of the loops of a URDF, which is a tree: pairs of frames that coincide")
      ->type_name("FILE");
  verb.add_flag_callback(
      "--strict", [&options] { options.import.impossible_masses = ImpossibleMasses::kRefused; },
      "refuse a URDF or SDF with masses and inertias that no body has, instead of mending them with a warning");
}

std::string shown_name(const Model& model, const std::filesystem::path& file) {
  return model.name().empty() ? file.stem().string() : model.name();
}

}  // namespace kinloop::cli
