// Options on top of the rig file, then the supervisor.
#include "services/cli/run.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <optional>
#include <ostream>

#include "services/cli/exit_code.hpp"
#include "services/cli/progress_bar.hpp"
#include "services/cli/table.hpp"
#include "services/cli/time_argument.hpp"
#include "services/run/plant_process.hpp"
#include "services/run/replay.hpp"
#include "services/run/supervisor.hpp"

namespace kinloop::cli {
namespace {

struct Options {
  std::string file;
  std::string duration;
  std::string mode;
  std::optional<int> core, priority;
  bool allow_degraded = false, single_process = false, journal = false;
  std::string runs, certificate;
};

/// What the command line says goes before what the file says.
std::optional<Error> apply(const Options& options, RigSpec& rig) {
  if (!options.duration.empty()) {
    const Result<double> duration_s = read_time("--duration", options.duration);
    if (!duration_s) return duration_s.error();
    rig.duration_s = *duration_s;
  }
  if (!options.mode.empty()) {
    const Result<rt::Mode> mode = rt::find_mode(options.mode);
    if (!mode) return Error{"--mode " + options.mode, mode.error().what};
    rig.mode = *mode;
  }
  rig.core = options.core.value_or(rig.core);
  rig.priority = options.priority.value_or(rig.priority);
  return std::nullopt;
}

/// Services of systemd get a directory of their own.
std::filesystem::path default_runs() {
  const char* state = std::getenv("STATE_DIRECTORY");  // NOLINT(concurrency-mt-unsafe): no other thread yet
  return state != nullptr ? std::filesystem::path(state) / "runs" : std::filesystem::path("runs");
}

int run_rig(const Options& options, const Console& console) {
  auto loaded = load_rig(options.file);
  if (!loaded) {
    print_errors(console, loaded.error(), "");
    return kBadInput;
  }
  print_warnings(console, loaded->warnings);
  print_warnings(console, loaded->model.warnings);
  auto rig = std::make_shared<LoadedRig>(std::move(loaded).value());
  if (const std::optional<Error> error = apply(options, rig->spec)) {
    print_errors(console, {*error}, "");
    return kBadInput;
  }
  run::RunOptions run;
  run.plant.degraded = options.allow_degraded ? run::Degraded::kAllowed : run::Degraded::kRefused;
  run.plant.journal = options.journal ? rt::Journal::kKept : rt::Journal::kNone;
  run.processes = options.single_process ? run::Processes::kSingle : run::Processes::kSeparate;
  run.runs = options.runs.empty() ? default_runs() : std::filesystem::path(options.runs);
  run.certificate = options.certificate;
  return run::supervise(std::move(rig), run, console);
}

int run_replay(const std::filesystem::path& directory, const Console& console) {
  const auto rig = load_rig(directory / "rig.yaml");
  if (!rig) {
    print_errors(console, rig.error(), "replay wants the directory of a run; run says which it is");
    return kBadInput;
  }
  const auto journal = run::read_journal(directory / "journal", rig->spec.plant.actuators.size());
  if (!journal) {
    print_errors(console, {journal.error()}, "run --journal keeps what a replay needs");
    return kBadInput;
  }
  Result<run::ReplayResult> result = run::ReplayResult{};
  {
    ProgressBar progress(console);
    result = run::replay(*rig, *journal, [&](double share) {
      progress.show(share, share * static_cast<double>(journal->size()) * rig->spec.plant.dt_s);
    });
  }
  if (!result) {
    print_errors(console, {result.error()}, "");
    return kBadInput;
  }
  if (result->differs) {
    print_errors(console,
                 {{"step " + std::to_string((*journal)[result->steps].frame.step),
                   "its state differs from the recorded one; " + std::to_string(result->steps) + " before it agree"}},
                 "bits are promised for the same program on the same kind of processor: compare kinloop version");
    return kDiffers;
  }
  console.out << rig->spec.name << ": all " << result->steps << " steps have the recorded states\n";
  return kDone;
}

}  // namespace

void add_run(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("run", "keep a rig in step with the clock, and say how well");
  auto options = std::make_shared<Options>();
  verb->add_option("RIG", options->file, "the rig: configs/rigs/*.yaml")->required();
  verb->add_option("-t,--duration", options->duration,
                   "of the plant's time, with or without a unit; else until Ctrl-C");
  verb->add_option("--mode", options->mode, "real_time, lockstep or free, instead of the rig's");
  verb->add_option("--core", options->core, "that the plant stays on, instead of the rig's")
      ->check(CLI::Range(0, 4095));
  verb->add_option("--priority", options->priority, "SCHED_FIFO, instead of the rig's")->check(CLI::Range(1, 99));
  verb->add_flag("--allow-degraded", options->allow_degraded,
                 "run on without what this host does not permit; every report says so");
  verb->add_flag("--single-process", options->single_process, "the plant as a thread, not as a process of its own");
  verb->add_flag("--journal", options->journal, "keep what every step was given, for kinloop replay");
  verb->add_option("--certificate", options->certificate,
                   "write a latency certificate there (JSON), and a histogram beside it (SVG)");
  verb->add_option("--runs", options->runs, "where run directories are made (default: runs)");
  verb->footer(
      "Ctrl-C ends a run, SIGUSR1 makes it report its timing and go on. Each run leaves a directory behind:\n"
      "configuration in force, host facts, timing, events.\n"
      "\n"
      "exit codes: 0 done or stopped, 2 bad usage or rig, 3 too many steps ended too late, 4 the watchdog tripped,\n"
      "5 a step failed, 6 the host does not permit what real time needs (kinloop doctor says what would mend it)\n"
      "\n"
      "examples:\n"
      "  kinloop run configs/rigs/four_bar.yaml -t 10 --certificate four_bar.json\n"
      "  kinloop run configs/rigs/pendulum.yaml --mode free -t \"1 h\"       as fast as possible, e.g. in CI\n"
      "  kinloop run configs/rigs/pendulum.yaml -t 5 --journal --allow-degraded && kinloop replay runs/pendulum-*");
  verb->callback([options, &job] { job = [options](const Console& console) { return run_rig(*options, console); }; });
}

void add_plant(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("plant", "the plant's own process: started by run");
  verb->group("");
  struct PlantOptions {
    std::string file;
    bool allow_degraded = false, journal = false;
  };
  auto options = std::make_shared<PlantOptions>();
  verb->add_option("RIG", options->file)->required();
  verb->add_flag("--allow-degraded", options->allow_degraded);
  verb->add_flag("--journal", options->journal);
  verb->callback([options, &job] {
    job = [options](const Console& console) {
      run::PlantRunOptions plant;
      plant.degraded = options->allow_degraded ? run::Degraded::kAllowed : run::Degraded::kRefused;
      plant.journal = options->journal ? rt::Journal::kKept : rt::Journal::kNone;
      return run::run_plant_process(options->file, plant, console);
    };
  });
}

void add_replay(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("replay", "repeat a recorded run and compare every state");
  auto directory = std::make_shared<std::string>();
  verb->add_option("DIRECTORY", *directory, "of a run with --journal")->required();
  verb->footer(
      "exit codes: 0 all states are the recorded ones, 2 no such run, 5 a state differs\n"
      "\n"
      "example:\n"
      "  kinloop replay runs/pendulum-20260301T083000Z-4711");
  verb->callback(
      [directory, &job] { job = [directory](const Console& console) { return run_replay(*directory, console); }; });
}

}  // namespace kinloop::cli
