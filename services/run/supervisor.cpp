// Gathers what the plant tells a few hundred times a second; the plant never waits for it.
#include "services/run/supervisor.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <thread>

#include "core/constraints/constraint_rank.hpp"
#include "rt/loop/memory_files.hpp"
#include "rt/timing/clock.hpp"
#include "services/base/write_file.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/progress_bar.hpp"
#include "services/console/room.hpp"
#include "services/console/table.hpp"
#include "services/host/host_name.hpp"
#include "services/io/endpoints_file.hpp"
#include "services/net/private_folder.hpp"
#include "services/net/stop_socket.hpp"
#include "services/rig/write_rig.hpp"
#include "services/run/child_process.hpp"
#include "services/run/event_log.hpp"
#include "services/run/io_runner.hpp"
#include "services/run/log_console.hpp"
#include "services/run/part_watch.hpp"
#include "services/run/plant_runner.hpp"
#include "services/run/refusal_text.hpp"
#include "services/run/run_directory.hpp"
#include "services/run/run_signals.hpp"
#include "services/run/stop_inputs.hpp"
#include "services/run/stop_ways.hpp"
#include "services/run/watchdog_thread.hpp"
#include "services/timing/certificate.hpp"
#include "services/timing/timing_json.hpp"
#include "services/timing/timing_text.hpp"

namespace kinloop::run {
namespace {

constexpr std::chrono::milliseconds kSupervisorWait{3};
constexpr std::chrono::milliseconds kReportPatience{50};  // with who reads the output, while the plant runs
constexpr std::chrono::milliseconds kLastReportPatience{5000};

/// A rig as it was written, with what `auto` came to beside each integrator.
std::string with_choices(std::string rig, const std::vector<timing::SolverNames>& solvers) {
  std::size_t at = 0;
  for (const timing::SolverNames& solver : solvers) {
    at = rig.find("integrator: ", at);
    if (at == std::string::npos) break;
    at = rig.find('\n', at);
    if (at == std::string::npos) break;
    if (!solver.integrator_reason.empty()) rig.insert(at, "  # " + solver.integrator + ": " + solver.integrator_reason);
  }
  return rig;
}

/// Of threads that stop: below the watchdog; on the plant's own core below the plant.
rt::ThreadWishes stop_wishes(const RigSpec& spec) {
  rt::ThreadWishes wishes;
  if (spec.mode != rt::Mode::kRealTime) return wishes;
  const bool is_apart = spec.watchdog.core >= 0 && spec.watchdog.core != spec.core;
  wishes.priority = (is_apart ? spec.watchdog.priority : spec.priority) - 1;
  wishes.core = spec.watchdog.core;
  return wishes;
}

class Supervisor {
 public:
  Supervisor(std::shared_ptr<LoadedRig> rig, const RunOptions& options, const console::Console& console)
      : rig_(std::move(rig)), spec_(rig_->spec), options_(options), console_(console) {}

  int run();

 private:
  void choose_cores();
  bool prepare();
  bool write_directory();
  bool start_io();
  bool open_stop_ways();
  bool open_stop_inputs();
  void look_for_page();
  bool start();
  void look_on(WatchdogThread& watchdog);
  void gather();
  void give_up(rt::EventKind why, std::int64_t value, std::int64_t time_ns);
  void report(std::chrono::milliseconds patience);
  void leave_reports();
  int refuse();
  void say_hello() const;
  void open_log();
  void say_errors(const std::vector<Error>& errors, const std::string& hint) const;
  timing::TimingSummary summary();
  int fail(const Error& error, const std::string& hint);

  std::shared_ptr<LoadedRig> rig_;
  RigSpec& spec_;
  const RunOptions& options_;
  const console::Console& console_;

  std::optional<log::Log> log_file_;  // before all that speak through it, and ended after them
  log::Logger log_;
  std::optional<rt::MemoryFiles> files_;
  rt::PlantMemory* memory_ = nullptr;
  std::optional<RunDirectory> directory_;
  std::optional<HealthReport> health_;
  std::optional<EventLog> events_;
  std::optional<net::PlantFolder> folder_;  // where clients find the plant
  std::unique_ptr<StopWays> stop_ways_;
  std::unique_ptr<StopInputs> stop_inputs_;
  std::uint32_t page_epoch_ = 0;  // of the io whose page is known to them
  io::IoOptions io_options_;
  std::unique_ptr<IoRunner> io_;
  std::unique_ptr<PlantRunner> plant_;
  std::atomic<PlantRunner*> to_kill_{nullptr};  // by the watchdog's thread
  timing::CertificateFacts facts_;
  rt::LoopStatus status_;
  std::int64_t start_ns_ = 0;
  std::optional<PartWatch> parts_;
  std::optional<int> code_;
  RunSignals signals_;  // from the first to the last moment of the run
};

int Supervisor::fail(const Error& error, const std::string& hint) {
  say_errors({error}, hint);
  return console::kBadInput;
}

/// Once it is known which core is the plant's; the file comes with the run directory.
void Supervisor::open_log() {
  log_file_.emplace(options_.log, log_console(console_), wishes_of(spec_).core);
  log_ = log::Logger(*log_file_, "supervisor");
}

/// What is wrong, then what to do about it, which may take several lines.
void Supervisor::say_errors(const std::vector<Error>& errors, const std::string& hint) const {
  for (const Error& error : errors) log_.error(error);
  for (std::size_t start = 0; start < hint.size();) {
    const std::size_t end = std::min(hint.find('\n', start), hint.size());
    log_.error(hint.substr(start, end - start));
    start = end + 1;
  }
}

/// The plant gets one of its own as far as there are any; the watchdog is not to interrupt it.
void Supervisor::choose_cores() {
  if (spec_.mode != rt::Mode::kRealTime) return;
  if (spec_.core < 0) spec_.core = facts_.host.core;
  if (spec_.watchdog.core >= 0) return;
  const std::vector<int>& allowed = facts_.host.allowed;
  const auto other = std::find_if(allowed.begin(), allowed.end(), [&](int core) { return core != spec_.core; });
  if (other != allowed.end()) spec_.watchdog.core = *other;
}

/// Everything that can be wrong before the plant starts, and what reports will say of the run.
bool Supervisor::prepare() {
  facts_.host_name = host::host_name();
  facts_.host = host::read_host_facts(spec_.core >= 0 ? std::optional(spec_.core) : std::nullopt);
  choose_cores();
  open_log();
  if (spec_.mode == rt::Mode::kRealTime && plant_starves_watchdog(spec_)) {
    code_ = fail({"watchdog.priority", "on the plant's own core, " + std::to_string(spec_.core) +
                                           ", it must be above the plant's, " + std::to_string(spec_.priority)},
                 "");
    return false;
  }
  const auto plant = Plant::make(rig_->model.model, spec_.plant);
  if (!plant) {
    code_ = fail(plant.error(), "see: kinloop check --assemble " + spec_.model.string());
    return false;
  }
  for (std::size_t i = 0; i < spec_.plant.levels.size(); ++i) {
    const auto number = static_cast<int>(i);
    facts_.solvers.push_back({std::string((*plant)->dynamics_name(number)), (*plant)->integrator(number).name,
                              spec_.plant.levels[i].substeps, (*plant)->integrator(number).reason});
  }
  for (const Error& warning : (*plant)->warnings()) log_.warning("warning: " + warning.where + ": " + warning.what);
  facts_.rig = spec_.name;
  facts_.model = rig_->model.model.name();
  facts_.mode = spec_.mode;
  facts_.overrun = spec_.overrun.kind;
  facts_.dt_s = spec_.plant.dt_s;
  facts_.wishes = wishes_of(spec_);
  facts_.started = std::chrono::system_clock::now();

  const auto state_size = static_cast<std::size_t>((*plant)->initial_state().block().size());
  using MemoryProcesses = rt::MemoryFiles::Processes;
  auto files = rt::MemoryFiles::create(
      "kinloop-" + spec_.name, state_size,
      options_.processes == Processes::kSingle ? MemoryProcesses::kOne : MemoryProcesses::kSeparate);
  auto directory = RunDirectory::create(options_.runs, spec_.name);
  if (!files || !directory) {
    code_ = fail(!files ? files.error() : directory.error(),
                 !directory ? "--runs names another place for run directories" : "");
    return false;
  }
  files_ = std::move(files).value();
  memory_ = &files_->memory();
  memory_->supervisor = ::getpid();
  signals_.stop_through(*memory_);
  directory_ = std::move(directory).value();
  log_file_->open_file(*directory_ / "kinloop.log");
  if (!write_directory()) return false;
  auto health = HealthReport::open(spec_.watchdog.device);  // last: from now on the hardware counts
  if (!health) {
    code_ = fail(health.error(), "");
    return false;
  }
  health_.emplace(std::move(health).value());
  return true;
}

bool Supervisor::write_directory() {
  const std::string model = kept_model_name(spec_);
  std::error_code error;
  std::filesystem::copy_file(spec_.model, *directory_ / model, error);
  std::optional<WriteFailure> failure;
  if (error) failure = WriteFailure{{(*directory_ / model).string(), error.message()}};
  if (!failure) failure = write_file(*directory_ / "rig.yaml", with_choices(write_rig(spec_, model), facts_.solvers));
  if (!failure) {
    failure = write_file(*directory_ / "host.json", timing::json_text(timing::host_json(facts_), 2) + "\n");
  }
  if (!failure) failure = write_file(*directory_ / "memory", memory_text(*files_));
  if (failure) {
    code_ = fail(failure->error, "");
    return false;
  }
  events_.emplace(*directory_ / "events.jsonl", closure_names(rig_->model.model), spec_.plant.dt_s, log_,
                  wishes_of(spec_).core);
  return true;
}

/// Before the plant: clients and the record miss nothing of it.
bool Supervisor::start_io() {
  if (options_.is_deaf && options_.record.empty()) return true;
  io_options_.directory = directory_->path();
  io_options_.record = options_.record;
  io_options_.panel = options_.panel;
  io_options_.log = options_.log;
  if (io_options_.panel) io_options_.panel->directory = directory_->path();
  if (!options_.is_deaf) {
    auto folder = net::PlantFolder::create(net::runtime_folder(), spec_.name);
    if (!folder) {
      code_ = fail(folder.error(), "$KINLOOP_RUNTIME_DIR names another place for sockets; --listen none does without");
      return false;
    }
    folder_.emplace(std::move(folder).value());
    const auto local = net::listen_in(folder_->path());
    if (!local) {
      code_ = fail(local.error(), "$KINLOOP_RUNTIME_DIR names a shorter path");
      return false;
    }
    if (!open_stop_ways()) return false;
    io_options_.folder = folder_->path();
    io_options_.listen = options_.listen;
    io_options_.listen.addresses.insert(io_options_.listen.addresses.begin(), *local);
  }
  auto host = options_.processes == Processes::kSingle ? start_io_thread(rig_, io_options_, *memory_, log_.of("io"))
                                                       : spawn_io(io_options_, *files_, log_);
  if (!host) {
    code_ = fail(host.error(), "");
    return false;
  }
  io_ = std::move(host).value();
  look_for_page();
  return true;
}

bool Supervisor::open_stop_ways() {
  StopWaysOptions options;
  options.folder = folder_->path();
  options.listen = options_.listen;
  options.page = options_.panel ? &*options_.panel : nullptr;
  options.wishes = stop_wishes(spec_);
  auto ways = StopWays::open(options, *memory_, log_);
  if (!ways) {
    say_errors(ways.error(), "");
    code_ = console::kBadInput;
    return false;
  }
  stop_ways_ = std::move(ways).value();
  io_options_.stops = stop_ways_->endpoints();
  return true;
}

/// A rig whose stop does not work does not start.
bool Supervisor::open_stop_inputs() {
  if (spec_.stop_inputs.empty()) return true;
  auto inputs = StopInputs::open(spec_.stop_inputs, stop_wishes(spec_), *memory_, log_);
  if (!inputs) {
    code_ = fail(inputs.error(), "");
    return false;
  }
  stop_inputs_ = std::move(inputs).value();
  return true;
}

/// The page may be at another port after io was started again.
void Supervisor::look_for_page() {
  const std::uint32_t epoch = memory_->io_ready.load(std::memory_order_acquire);
  if (!options_.panel || !stop_ways_ || epoch == page_epoch_) return;
  page_epoch_ = epoch;
  for (const v1::Endpoint& endpoint : io::read_endpoints(folder_->path())) {
    if (endpoint.socket() != gateway::kPanelEndpoint) continue;
    const auto address = gateway::parse_panel_address(gateway::host_of_origin(endpoint.address()));
    if (address) stop_ways_->set_page_port(address->port);
  }
}

bool Supervisor::start() {
  start_ns_ = rt::MonotonicClock().now_ns();
  parts_.emplace(*memory_, start_ns_, log_);
  if (options_.processes == Processes::kSingle) {
    plant_ = start_thread(rig_, *directory_ / "rig.yaml", options_.plant, *memory_);
    to_kill_.store(plant_.get());
    return true;
  }
  auto plant = spawn_process(*directory_ / "rig.yaml", options_.plant, *files_);
  if (!plant) {
    code_ = fail(plant.error(), "--single-process runs the plant as a thread");
    return false;
  }
  plant_ = std::move(plant).value();
  to_kill_.store(plant_.get());
  return true;
}

void Supervisor::gather() {
  if (const auto taken = memory_->status.take(); taken.value != nullptr) status_ = *taken.value;
  // Bounded by what the rings hold: there is more to do than to listen to a fast plant.
  const std::size_t events = memory_->events.size();
  rt::Event event;
  for (std::size_t i = 0; i < events && memory_->events.take(event); ++i) events_->add(event, start_ns_);
}

timing::TimingSummary Supervisor::summary() {
  const bool by_clock = spec_.mode == rt::Mode::kRealTime;
  return timing::summarize(memory_->timing, status_, by_clock ? period_ns(spec_) : 0);
}

void Supervisor::give_up(rt::EventKind why, std::int64_t value, std::int64_t time_ns) {
  gather();
  memory_->given_up.store(1, std::memory_order_release);  // after the last frame
  events_->add({time_ns, status_.step, why, value}, start_ns_);
}

void Supervisor::look_on(WatchdogThread& watchdog) {
  console::ProgressBar progress(console_);
  bool is_ready = false;
  while (!code_) {
    std::this_thread::sleep_for(kSupervisorWait);
    const std::optional<int> exit_status = plant_->ended();  // before the last words are gathered
    gather();
    const std::int64_t now_ns = rt::MonotonicClock().now_ns();
    watchdog.supervisor_is_alive(now_ns);
    memory_->supervisor_beat.show(now_ns);
    if (io_) io_->tend(now_ns);
    if (parts_->answer(now_ns, io_.get(), stop_ways_.get())) watchdog.all_answer(now_ns);
    if (parts_->plant_is_late(now_ns)) plant_->kill();
    look_for_page();
    if (!is_ready && memory_->heartbeat.running.load(std::memory_order_acquire) != 0) {
      is_ready = true;
      facts_.refusals = read_refusals(memory_->refusals);
      health_->ready();
    }
    if (signals_.wants_end()) memory_->stop.store(1, std::memory_order_relaxed);
    if (signals_.wants_report()) report(kReportPatience);
    if (spec_.duration_s > 0.0) progress.show(status_.time_s / spec_.duration_s, status_.time_s);
    if (watchdog.has_tripped()) {
      give_up(rt::EventKind::kWatchdogTripped, watchdog.silent_ns(), watchdog.tripped_ns());
      code_ = console::kWatchdogTripped;
    } else if (exit_status) {
      code_ = *exit_status;
    }
  }
}

/// Who reads the output may do so when he likes: what finds no room within that time is not said.
void Supervisor::report(std::chrono::milliseconds patience) {
  std::ostringstream out;
  out << console_.on_out(spec_.name + ": " + console::plain_number(status_.time_s) + " s of its time, step " +
                             std::to_string(status_.step),
                         console::Style::kBold)
      << "\n";
  print_timing(summary(), facts_.refusals, {out, console_.err, console_.out_colours});
  if (console_.out_descriptor < 0) {
    console_.out << out.str() << std::flush;
  } else if (!console::write_where_there_is_room(console_.out_descriptor, out.str(), patience)) {
    log_.warning("the report found no room on the output");
  }
}

void Supervisor::leave_reports() {
  const timing::TimingSummary all = summary();
  facts_.duration_s = static_cast<double>(rt::MonotonicClock().now_ns() - start_ns_) * 1e-9;
  std::vector<Error> errors;
  nlohmann::ordered_json timing = timing::timing_json(all);
  timing["refusals"] = timing::refusals_json(facts_.refusals);
  timing["exit_code"] = *code_;
  if (auto failure = write_file(*directory_ / "timing.json", timing::json_text(timing, 2) + "\n")) {
    errors.push_back(failure->error);
  }
  if (!options_.certificate.empty()) {
    if (auto failure = timing::write_certificate(options_.certificate, facts_, all)) errors.push_back(failure->error);
  }
  if (errors.empty()) return;
  say_errors(errors, "");
  if (*code_ == console::kDone) code_ = console::kInternalError;
}

int Supervisor::run() {
  if (!prepare()) return *code_;
  {
    WatchdogThread watchdog(spec_, *memory_, *health_, [this] {
      if (PlantRunner* plant = to_kill_.load()) plant->kill();
    });
    facts_.refusals = watchdog.refusals();
    const bool is_refused = !facts_.refusals.empty() && options_.plant.degraded == Degraded::kRefused;
    if (is_refused) code_ = console::kRefused;
    if (!is_refused && open_stop_inputs() && start_io() && start()) {
      say_hello();
      look_on(watchdog);
    }
    watchdog.stop();
    facts_.refusals = read_refusals(memory_->refusals);
    facts_.refusals.insert(facts_.refusals.end(), watchdog.refusals().begin(), watchdog.refusals().end());
  }
  const bool never_ran = memory_->heartbeat.iterations.load(std::memory_order_relaxed) == 0;
  if (*code_ == console::kDone || never_ran) health_->end_well();
  if (*code_ == console::kRefused) return refuse();
  if (!plant_) return *code_;
  if (*code_ > console::kSignalBase || *code_ == console::kInternalError) {  // killed, or ended by another's hand
    publish_last_frame(spec_, *memory_);
    give_up(rt::EventKind::kPlantDied, *code_, rt::MonotonicClock().now_ns());
    code_ = console::kInternalError;
  }
  if (io_) io_->stop();
  report(kLastReportPatience);
  leave_reports();
  if (options_.processes == Processes::kSingle && *code_ == console::kWatchdogTripped) {
    console_.out.flush();
    events_.reset();
    log_file_->close();
    std::_Exit(*code_);  // the stuck thread still uses what an orderly end would take away
  }
  return *code_;
}

void Supervisor::say_hello() const {
  log_.info(spec_.name + ": " + console::plain_number(1.0 / spec_.plant.dt_s) + " Hz, " +
            std::string(name_of(spec_.mode)) + ", " + facts_.solvers[0].dynamics + " with " +
            facts_.solvers[0].integrator + "; run directory " + directory_->path().string());
  if (!facts_.solvers[0].integrator_reason.empty()) {
    log_.info("auto takes " + facts_.solvers[0].integrator + ": " + facts_.solvers[0].integrator_reason);
  }
  log_.debug("the plant has core " + std::to_string(spec_.core) + ", the watchdog core " +
             std::to_string(spec_.watchdog.core) + " (-1: any)");
  if (!folder_) return;
  log_.info("kinloop ctl and kinloop top find it as " + folder_->path().filename().string());
  for (const v1::Endpoint& endpoint : io::read_endpoints(folder_->path())) {
    if (endpoint.socket() == gateway::kPanelEndpoint) log_.info("open " + endpoint.address());
  }
}

int Supervisor::refuse() {
  std::vector<Error> errors;
  std::string hint = "--allow-degraded runs without; as root:";
  for (const rt::Refusal& refusal : facts_.refusals) {
    errors.push_back({"this host does not permit", refusal.what});
    if (hint.find(refusal.fix) == std::string::npos) hint += "\n  " + refusal.fix;
  }
  say_errors(errors, hint);
  return *code_;
}

}  // namespace

int supervise(std::shared_ptr<LoadedRig> rig, const RunOptions& options, const console::Console& console) {
  if (options.processes == Processes::kSingle) prepare_plant_process(rig->spec);
  return Supervisor(std::move(rig), options, console).run();
}

}  // namespace kinloop::run
