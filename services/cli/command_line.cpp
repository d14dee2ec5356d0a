// Reads the arguments with CLI11, whose exceptions end here, and runs the verb.

#include "services/cli/command_line.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <ostream>
#include "core/base/nearest_name.hpp"
#include "services/cli/check.hpp"
#include "services/cli/ctl.hpp"
#include "services/cli/doctor.hpp"
#include "services/cli/eval.hpp"
#include "services/cli/export.hpp"
#include "services/cli/fit.hpp"
#include "services/cli/job.hpp"
#include "services/cli/keygen.hpp"
#include "services/cli/linearize.hpp"
#include "services/cli/plot.hpp"
#include "services/cli/record.hpp"
#include "services/cli/run.hpp"
#include "services/cli/sim.hpp"
#include "services/cli/top.hpp"
#include "services/cli/trim.hpp"
#include "services/cli/udp_header.hpp"
#include "services/cli/version.hpp"
#include "services/console/exit_code.hpp"

namespace kinloop::cli {
namespace {

constexpr const char* kAbout =
    "Kinloop simulates mechanisms with closed loops, in step with the clock or as fast as it can.";
constexpr const char* kExamples =
    "examples:\n"
    "  kinloop check configs/models/demo.yaml              what the model is, and what will cause trouble\n"
    "  kinloop sim configs/models/demo.yaml -t 5 -o run.csv   simulate 5 s, keep the motion\n"
    "  kinloop plot run.csv -o run.svg                     draw it; with --model also the mechanism\n"
    "  kinloop eval tests/data/vectors/pendulum.json       compare with an independent solver\n"
    "  kinloop linearize configs/rigs/cart_pole.yaml       A, B, C, D of one step, and its modes\n"
    "  kinloop trim configs/rigs/excavator.yaml --hold     commands and pressures that hold it still\n"
    "  kinloop run configs/rigs/four_bar.yaml -t 10        in step with the clock, with a report on it\n"
    "  kinloop export run.mcap --csv --out run.csv         the record of a run as a table; --info: what it holds\n"
    "  kinloop udp-header configs/rigs/cart_pole_udp.yaml   the C header for a controller that speaks UDP\n"
    "  kinloop ctl pause                                   talk to the running plant; top shows it\n"
    "  kinloop doctor                                      how fit this host is for real time\n"
    "  kinloop keygen alice --role operator                keys for a plant that is reached over a network\n"
    "  kinloop sim --help                                  more of one verb\n"
    "\n"
    "exit codes: 0 done, 1 internal error, 2 bad usage or bad input, 3 too many steps too late, 4 the watchdog\n"
    "            tripped, 5 the motion diverged or values differ, 6 the host does not permit what real time needs";

/// CLI11 complains about a misspelt verb as about any surplus argument; people want to know the verbs. `word` stands
/// where one of `app` is expected.
std::string unknown_verb(const CLI::App& app, const std::string& word) {
  if (word.empty() || word.starts_with("-")) return {};
  std::vector<std::string> names;
  const auto is_shown = [](const CLI::App* verb) { return !verb->get_group().empty(); };
  for (const CLI::App* verb : app.get_subcommands(is_shown)) names.push_back(verb->get_name());
  if (names.empty() || std::find(names.begin(), names.end(), word) != names.end()) return {};
  const std::vector<std::string_view> known(names.begin(), names.end());
  return "there is no verb " + in_quotes(word) + did_you_mean(word, known) + " (verbs: " + quoted_list(known) + ")";
}

int report_usage(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& arguments,
                 const console::Console& console) {
  const CLI::App* used = &app;
  std::string path;
  while (!used->get_subcommands().empty()) {
    used = used->get_subcommands().front();
    path += used->get_name() + " ";
  }
  const std::vector<std::string> rest = used == &app ? arguments : used->remaining();
  const std::string verb = unknown_verb(*used, rest.empty() ? "" : rest.front());
  console::print_errors(console, {{"kinloop", verb.empty() ? error.what() : verb}}, "");
  console.err << "see: kinloop " << path << "--help\n";
  return console::kBadInput;
}

int run(std::vector<std::string> arguments, const console::Console& console) {
  CLI::App app(kAbout, "kinloop");
  app.require_subcommand(1);
  app.footer(kExamples);
  app.get_formatter()->column_width(34);
  Job job;
  add_run(app, job);
  add_plant(app, job);
  add_io(app, job);
  add_record(app, job);
  add_replay(app, job);
  add_check(app, job);
  add_sim(app, job);
  add_plot(app, job);
  add_export(app, job);
  add_linearize(app, job);
  add_trim(app, job);
  add_fit(app, job);
  add_udp_header(app, job);
  add_eval(app, job);
  add_ctl(app, job);
  add_top(app, job);
  add_doctor(app, job);
  add_keygen(app, job);
  add_version(app, job);
  if (arguments.empty()) {
    console.err << app.help() << "\n";
    return console::kBadInput;
  }
  if (arguments == std::vector<std::string>{"--version"}) arguments = {"version"};
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    console.out << app.help() << "\n";  // of the verb, if one was given
    return console::kDone;
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, arguments, console);
  }
  return job ? job(console) : console::kInternalError;
}

}  // namespace

int run_command_line(std::vector<std::string> arguments, const console::Console& console) noexcept {
  int code = console::kInternalError;
  try {
    code = run(std::move(arguments), console);
    console.out.flush();
    if (!console.out && code == console::kDone) {
      console.err << "kinloop: the output could not be written\n";
      code = console::kInternalError;
    }
  } catch (const std::exception& error) {
    console.err << "kinloop: internal error: " << error.what() << "\n";
  } catch (...) {
    console.err << "kinloop: internal error\n";
  }
  return code;
}

}  // namespace kinloop::cli
