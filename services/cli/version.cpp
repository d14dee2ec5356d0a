// The facts of the build, printed.
#include "services/cli/version.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "services/console/exit_code.hpp"
#include "services/host/build_facts.hpp"

namespace kinloop::cli {
namespace {

/// "Eigen 3.4.0,libfyaml 0.7.12" as pairs.
nlohmann::ordered_json libraries() {
  nlohmann::ordered_json result;
  std::istringstream list(host::build_facts().libraries);
  for (std::string item; std::getline(list, item, ',');) {
    const std::size_t blank = item.find(' ');
    if (blank != std::string::npos) result[item.substr(0, blank)] = item.substr(blank + 1);
  }
  return result;
}

}  // namespace

int print_version(console::Format format, const console::Console& console) {
  const host::BuildFacts& facts = host::build_facts();
  const nlohmann::ordered_json about = {{"version", facts.version},   {"commit", facts.commit},
                                        {"compiler", facts.compiler}, {"architecture", facts.architecture},
                                        {"build", facts.type},        {"sanitizers", facts.sanitizers},
                                        {"libraries", libraries()}};
  if (format == console::Format::kJson) {
    console.out << about.dump(2) << "\n";
    return console::kDone;
  }
  console.out << console.on_out("kinloop " + facts.version, console::Style::kBold) << "\n";
  for (const char* key : {"commit", "compiler", "architecture", "build", "sanitizers"}) {
    console.out << "  " << key << std::string(14 - std::string(key).size(), ' ') << about[key].get<std::string>()
                << "\n";
  }
  console.out << "  libraries     ";
  const char* separator = "";
  for (const auto& [name, version] : about["libraries"].items()) {
    console.out << separator << name << " " << version.get<std::string>();
    separator = ", ";
  }
  console.out << "\n";
  return console::kDone;
}

void add_version(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("version", "what this program was built from");
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "machine-readable");
  verb->footer("examples:\n  kinloop version\n  kinloop version --json | jq -r .commit");
  verb->callback([json, &job] {
    job = [json](const console::Console& console) {
      return print_version(*json ? console::Format::kJson : console::Format::kText, console);
    };
  });
}

}  // namespace kinloop::cli
