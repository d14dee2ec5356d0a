// Options on top of the rig file, then the supervisor.
#include "services/cli/run.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <optional>
#include <ostream>

#include "services/cli/time_argument.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/progress_bar.hpp"
#include "services/console/table.hpp"
#include "services/log/journal_stream.hpp"
#include "services/net/stop_socket.hpp"
#include "services/run/io_process.hpp"
#include "services/run/plant_process.hpp"
#include "services/run/replay.hpp"
#include "services/run/supervisor.hpp"

namespace kinloop::cli {
namespace {

struct LogOptions {
  std::string level = "info", format = "text";
};

Result<log::Settings> log_settings_of(const LogOptions& options) {
  const auto level = log::find_level(options.level);
  if (!level) return Error{"--log-level " + options.level, level.error().what};
  const auto format = log::find_format(options.format);
  if (!format) return Error{"--log-format " + options.format, format.error().what};
  return log::Settings{*level, *format};
}

struct RunOptions {
  std::string file;
  std::string duration;
  std::string mode;
  std::optional<int> core, priority;
  bool allow_degraded = false, single_process = false, wait = false, insecure = false;
  std::string runs, certificate, record, keys, server_key;
  std::vector<std::string> listen;
  std::optional<std::string> panel;  // an empty address is the default
  std::string panel_tokens;
  LogOptions log;
};

/// The page, where it is asked for.
Result<std::optional<gateway::GatewayOptions>> panel_of(const std::optional<std::string>& address,
                                                        const std::string& tokens) {
  if (!address && tokens.empty()) return std::optional<gateway::GatewayOptions>();
  if (!address) return Error{"--panel-tokens", "goes with --panel"};
  const Result<gateway::PanelAddress> parsed = gateway::parse_panel_address(*address);
  if (!parsed) return Error{"--panel " + *address, parsed.error().what};
  if (!parsed->is_loopback && tokens.empty()) {
    return Error{"--panel " + *address,
                 "other hosts can reach that address: --panel-tokens says who may come in (kinloop keygen --panel)"};
  }
  gateway::GatewayOptions options;
  options.address = *parsed;
  options.tokens = tokens;
  return std::optional(options);
}

/// What the command line says goes before what the file says.
std::optional<Error> apply(const RunOptions& options, RigSpec& rig) {
  if (!options.duration.empty()) {
    const Result<double> duration_s = read_time("--duration", options.duration);
    if (!duration_s) return duration_s.error();
    rig.duration_s = *duration_s;
  }
  if (!options.mode.empty()) {
    const Result<rt::Mode> mode = rt::find_mode(options.mode);
    if (!mode) return Error{"--mode " + options.mode, mode.error().what};
    if (*mode == rt::Mode::kFree && has_playback(rig.adapters)) {
      return Error{"--mode " + options.mode, std::string("the rig has a playback adapter; ") + kNoPlaybackInFree};
    }
    if (*mode != rt::Mode::kFree && !rig.lacking_age.empty()) {
      return Error{"--mode " + options.mode,
                   "actuator '" + rig.lacking_age.front() +
                       "' has no 'max_age', which mode 'free' alone does without: give it one, or 'none'"};
    }
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

/// Where to listen, and who may come: the one rule is in services/net.
std::optional<Error> apply(const RunOptions& options, const console::Console& console, run::RunOptions& run) {
  run.is_deaf = options.listen == std::vector<std::string>{"none"};
  run.listen.keys = options.keys;
  run.listen.server_key = options.server_key;
  run.listen.consent = options.insecure ? net::Consent::kInsecure : net::Consent::kNone;
  if (options.keys.empty() != options.server_key.empty()) {
    return Error{options.keys.empty() ? "--server-key" : "--keys",
                 "--keys, who may connect, and --server-key, who the plant is, go together: see kinloop keygen --help"};
  }
  if (run.is_deaf) return std::nullopt;
  for (const std::string& text : options.listen) {
    const Result<net::ListenAddress> address = net::parse_listen_address(text);
    if (!address) return Error{"--listen " + text, address.error().what};
    const net::Keys keys = options.keys.empty() ? net::Keys::kNone : net::Keys::kGiven;
    const net::Protection protection = net::protection_of(*address, keys, run.listen.consent);
    if (protection == net::Protection::kRefused) return Error{"--listen " + text, describe(*address, protection)};
    if (protection == net::Protection::kOpenToAll) {
      if (console.err_is_journal) console.err << log::journal_prefix(log::Level::kWarning);
      console.err << console.on_err("warning: " + describe(*address, protection), console::Style::kBad) << "\n";
    }
    run.listen.addresses.push_back(*address);
  }
  return std::nullopt;
}

int run_rig(const RunOptions& options, const console::Console& console) {
  const auto log = log_settings_of(options.log);
  if (!log) {
    console::print_errors(console, {log.error()}, "");
    return console::kBadInput;
  }
  auto loaded = load_rig(options.file);
  if (!loaded) {
    console::print_errors(console, loaded.error(), "");
    return console::kBadInput;
  }
  console::print_warnings(console, loaded->warnings);
  console::print_warnings(console, loaded->model.warnings);
  auto rig = std::make_shared<LoadedRig>(std::move(loaded).value());
  if (const std::optional<Error> error = apply(options, rig->spec)) {
    console::print_errors(console, {*error}, "");
    return console::kBadInput;
  }
  run::RunOptions run;
  run.plant.degraded = options.allow_degraded ? run::Degraded::kAllowed : run::Degraded::kRefused;
  run.plant.journal = options.record.empty() ? rt::Journal::kNone : rt::Journal::kKept;
  run.plant.begins_paused = options.wait;
  run.record = options.record;
  if (const std::optional<Error> error = apply(options, console, run)) {
    console::print_errors(console, {*error}, "");
    return console::kBadInput;
  }
  auto panel = panel_of(options.panel, options.panel_tokens);
  if (panel && *panel && run.is_deaf) panel = Error{"--panel", "needs the plant's sockets: leave --listen none out"};
  if (!panel) {
    console::print_errors(console, {panel.error()}, "");
    return console::kBadInput;
  }
  run.panel = *panel;
  run.log = *log;
  run.processes = options.single_process ? run::Processes::kSingle : run::Processes::kSeparate;
  run.runs = options.runs.empty() ? default_runs() : std::filesystem::path(options.runs);
  run.certificate = options.certificate;
  return run::supervise(std::move(rig), run, console);
}

/// "address", or "address key".
v1::Endpoint stop_endpoint(const std::string& text) {
  const std::size_t blank = text.find(' ');
  v1::Endpoint endpoint;
  endpoint.set_socket(net::kStopSocket);
  endpoint.set_address(text.substr(0, blank));
  if (blank != std::string::npos) endpoint.set_server_key(text.substr(blank + 1));
  return endpoint;
}

int run_replay(const std::filesystem::path& file, const console::Console& console) {
  Result<run::ReplayResult> result = run::ReplayResult{};
  {
    console::ProgressBar progress(console);
    result = run::replay(file, [&](double share, double time_s) { progress.show(share, time_s); });
  }
  if (!result) {
    const bool is_about_a_step = result.error().where.starts_with("step ");  // then there is a record, and no advice
    console::print_errors(console, {result.error()},
                          is_about_a_step ? "" : "run --record and kinloop record write what a replay needs");
    return console::kBadInput;
  }
  for (const std::string& remark : result->remarks) console.err << remark << "\n";
  if (result->differs_at) {
    console::print_errors(
        console,
        {{"step " + std::to_string(*result->differs_at),
          "its state differs from the recorded one; " + std::to_string(result->steps) + " before it agree"}},
        "bits are promised for the same program on the same kind of processor: compare kinloop version");
    return console::kDiffers;
  }
  console.out << result->rig << ": all " << result->steps << " steps have the recorded states\n";
  return console::kDone;
}

}  // namespace

void add_run(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("run", "keep a rig in step with the clock, and say how well");
  auto options = std::make_shared<RunOptions>();
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
  verb->add_option("--record", options->record,
                   "write all steps, commands and events there (MCAP): see kinloop replay");
  verb->add_flag("--wait", options->wait, "begin paused, until kinloop ctl start");
  verb->add_option("--listen", options->listen,
                   "where controllers connect, besides a private folder of this user: tcp://127.0.0.1:5600,\n"
                   "ipc:///some/folder, or none for no sockets at all; other hosts need --keys");
  verb->add_option("--keys", options->keys, "the folder with the public keys of all who may connect over TCP");
  verb->add_option("--server-key", options->server_key, "the plant's own secret key: see kinloop keygen");
  verb->add_flag("--insecure", options->insecure, "let everybody on the network command the plant");
  verb->add_option("--panel", options->panel,
                   "serve a page to watch and drive it (default: 127.0.0.1:8080, or the next port that is free)")
      ->expected(0, 1)
      ->default_str("");
  verb->add_option("--panel-tokens", options->panel_tokens,
                   "a file that says who may open the page: role, name, token a line; needed beyond loopback");
  verb->add_option("--certificate", options->certificate,
                   "write a latency certificate there (JSON), and a histogram beside it (SVG)");
  verb->add_option("--runs", options->runs, "where run directories are made (default: runs)");
  verb->add_option("--log-level", options->log.level,
                   "the least grave lines that are written: trace, debug, info, warning or error\n"
                   "(default: info); debug also tells of sockets, leases and pages");
  verb->add_option("--log-format", options->log.format,
                   "text for people, json for programs: one object a line (default: text)");
  verb->footer(
      "Ctrl-C ends a run, SIGUSR1 makes it report its timing and go on, SIGUSR2 is an\n"
      "emergency stop. Each run leaves a directory behind:\n"
      "configuration in force, host facts, timing, events, logs (kinloop.log, kinloop-io.log).\n"
      "\n"
      "exit codes: 0 done or stopped, 2 bad usage or rig, 3 too many steps ended too late, 4 the watchdog tripped,\n"
      "5 a step failed, 6 the host does not permit what real time needs (kinloop doctor says what would mend it)\n"
      "\n"
      "examples:\n"
      "  kinloop run configs/rigs/four_bar.yaml -t 10 --certificate four_bar.json\n"
      "  kinloop run configs/rigs/excavator.yaml --panel --allow-degraded       open the address that it says\n"
      "  kinloop run configs/rigs/pendulum.yaml --mode free -t \"1 h\"       as fast as possible, e.g. in CI\n"
      "  kinloop run configs/rigs/crane.yaml --log-level debug --log-format json   lines for a log collector\n"
      "  kinloop run configs/rigs/pendulum.yaml -t 5 --record p.mcap --allow-degraded && kinloop replay p.mcap");
  verb->callback(
      [options, &job] { job = [options](const console::Console& console) { return run_rig(*options, console); }; });
}

void add_plant(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("plant", "the plant's own process: started by run");
  verb->group("");
  struct PlantOptions {
    std::string file;
    bool allow_degraded = false, journal = false, wait = false;
  };
  auto options = std::make_shared<PlantOptions>();
  verb->add_option("RIG", options->file)->required();
  verb->add_flag("--allow-degraded", options->allow_degraded);
  verb->add_flag("--journal", options->journal);
  verb->add_flag("--wait", options->wait);
  verb->callback([options, &job] {
    job = [options](const console::Console& console) {
      run::PlantRunOptions plant;
      plant.degraded = options->allow_degraded ? run::Degraded::kAllowed : run::Degraded::kRefused;
      plant.journal = options->journal ? rt::Journal::kKept : rt::Journal::kNone;
      plant.begins_paused = options->wait;
      return run::run_plant_process(options->file, plant, console);
    };
  });
}

void add_io(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("io", "the process of the sockets: started by run");
  verb->group("");
  struct IoOptions {
    std::string directory, folder, keys, server_key, record;
    std::vector<std::string> listen, stops;
    std::optional<std::string> panel;
    std::string panel_tokens;
    bool insecure = false;
    LogOptions log;
  };
  auto options = std::make_shared<IoOptions>();
  verb->add_option("DIRECTORY", options->directory)->required();
  verb->add_option("--folder", options->folder);
  verb->add_option("--listen", options->listen);
  verb->add_option("--keys", options->keys);
  verb->add_option("--server-key", options->server_key);
  verb->add_option("--stop", options->stops);
  verb->add_option("--record", options->record);
  verb->add_flag("--insecure", options->insecure);
  verb->add_option("--panel", options->panel)->expected(0, 1);
  verb->add_option("--panel-tokens", options->panel_tokens);
  verb->add_option("--log-level", options->log.level);
  verb->add_option("--log-format", options->log.format);
  verb->callback([options, &job] {
    job = [options](const console::Console& console) {
      io::IoOptions io;
      if (const auto panel = panel_of(options->panel, options->panel_tokens); panel && *panel) {
        io.panel = *panel;
        io.panel->directory = options->directory;
      }
      io.directory = options->directory;
      io.folder = options->folder;
      for (const std::string& text : options->stops) io.stops.push_back(stop_endpoint(text));
      io.record = options->record;
      if (const auto log = log_settings_of(options->log)) io.log = *log;
      io.listen.keys = options->keys;
      io.listen.server_key = options->server_key;
      io.listen.consent = options->insecure ? net::Consent::kInsecure : net::Consent::kNone;
      for (const std::string& text : options->listen) {
        const auto address = net::parse_listen_address(text);
        if (address) io.listen.addresses.push_back(*address);
      }
      return run::run_io_process(io, console);
    };
  });
}

void add_replay(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("replay", "repeat a recorded run and compare every state");
  auto file = std::make_shared<std::string>();
  verb->add_option("FILE", *file, "a record (MCAP) of run --record or kinloop record")->required();
  verb->footer(
      "exit codes: 0 all states are the recorded ones, 2 no such record, 5 a state differs\n"
      "\n"
      "examples:\n"
      "  kinloop replay crane.mcap\n"
      "  kinloop replay runs/crane-20260301T083000Z-4711/record-1.mcap");
  verb->callback(
      [file, &job] { job = [file](const console::Console& console) { return run_replay(*file, console); }; });
}

}  // namespace kinloop::cli
