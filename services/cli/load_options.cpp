// Words for the choices of the importers, and parameters that replace those of the file.
#include "services/cli/load_options.hpp"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <map>
#include <string>

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
  static const std::map<std::string, BaseKind> kBases = {
      {"auto", BaseKind::kAuto}, {"fixed", BaseKind::kFixed}, {"floating", BaseKind::kFloating}};
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
          "--base", [&options](const std::string& name) { options.import.base = kBases.at(name); },
          "how a URDF or SDF that is not attached to the world stands: auto, fixed, floating")
      ->check(CLI::IsMember({"auto", "fixed", "floating"}))
      ->default_str("auto");
}

}  // namespace kinloop::cli
