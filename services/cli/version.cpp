// What the build told this file about itself (services/CMakeLists.txt), printed.
#include "services/cli/version.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "services/cli/exit_code.hpp"

namespace kinloop::cli {
namespace {

constexpr const char* kCommit = KINLOOP_COMMIT;
constexpr const char* kArchitecture = KINLOOP_ARCH_FLAGS;
constexpr const char* kSanitizers = KINLOOP_SANITIZERS;

/// "Eigen 3.4.0,libfyaml 0.7.12" as pairs.
nlohmann::ordered_json libraries() {
  nlohmann::ordered_json result;
  std::istringstream list(KINLOOP_LIBRARIES);
  for (std::string item; std::getline(list, item, ',');) {
    const std::size_t blank = item.find(' ');
    if (blank != std::string::npos) result[item.substr(0, blank)] = item.substr(blank + 1);
  }
  return result;
}

std::string or_default(const char* text, const char* fallback) { return *text == '\0' ? fallback : text; }

}  // namespace

std::string program_version() { return KINLOOP_VERSION; }
std::string program_commit() { return or_default(kCommit, "unknown"); }

int print_version(Format format, const Console& console) {
  const nlohmann::ordered_json about = {
      {"version", program_version()}, {"commit", program_commit()},
      {"compiler", KINLOOP_COMPILER}, {"architecture", or_default(kArchitecture, "compiler's default")},
      {"build", KINLOOP_BUILD_TYPE},  {"sanitizers", or_default(kSanitizers, "none")},
      {"libraries", libraries()}};
  if (format == Format::kJson) {
    console.out << about.dump(2) << "\n";
    return kDone;
  }
  console.out << console.on_out("kinloop " KINLOOP_VERSION, Style::kBold) << "\n";
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
  return kDone;
}

void add_version(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("version", "what this program was built from");
  auto json = std::make_shared<bool>(false);
  verb->add_flag("--json", *json, "machine-readable");
  verb->footer("examples:\n  kinloop version\n  kinloop version --json | jq -r .commit");
  verb->callback([json, &job] {
    job = [json](const Console& console) { return print_version(*json ? Format::kJson : Format::kText, console); };
  });
}

}  // namespace kinloop::cli
