// Words for the choices of the importers.
#include "services/cli/import_options.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace kinloop::cli {

void add_import_options(CLI::App& verb, ImportOptions& options) {
  static const std::map<std::string, BaseKind> kBases = {
      {"auto", BaseKind::kAuto}, {"fixed", BaseKind::kFixed}, {"floating", BaseKind::kFloating}};
  verb.add_option_function<std::string>(
          "--base", [&options](const std::string& name) { options.base = kBases.at(name); },
          "how a URDF or SDF that is not attached to the world stands: auto, fixed, floating")
      ->check(CLI::IsMember({"auto", "fixed", "floating"}))
      ->default_str("auto");
}

}  // namespace kinloop::cli
