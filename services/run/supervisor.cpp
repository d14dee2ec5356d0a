// Gathers what the plant tells a few hundred times a second; the plant never waits for it.
#include "services/run/supervisor.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#include "core/constraints/constraint_rank.hpp"
#include "rt/loop/memory_files.hpp"
#include "rt/timing/clock.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/progress_bar.hpp"
#include "services/host/host_name.hpp"
#include "services/io/endpoints_file.hpp"
#include "services/net/private_folder.hpp"
#include "services/run/event_log.hpp"
#include "services/run/io_runner.hpp"
#include "services/run/log_console.hpp"
#include "services/run/part_watch.hpp"
#include "services/run/plant_runner.hpp"
#include "services/run/refusal_text.hpp"
#include "services/run/run_directory.hpp"
#include "services/run/run_files.hpp"
#include "services/run/run_report.hpp"
#include "services/run/run_signals.hpp"
#include "services/run/stop_inputs.hpp"
#include "services/run/stop_ways.hpp"
#include "services/run/thread_places.hpp"
#include "services/run/watchdog_thread.hpp"
#include "services/timing/certificate.hpp"

namespace kinloop::run {
namespace {

constexpr std::chrono::milliseconds kSupervisorWait{3};
constexpr std::chrono::milliseconds kReportPatience{50};  // with who reads the output, while the plant runs
constexpr std::chrono::milliseconds kLastReportPatience{5000};
constexpr std::chrono::seconds kLongestMapping{20};  // of the plant's memory, by a process that just started
constexpr std::chrono::milliseconds kMappingWait{1};

class Supervisor {
 public:
  Supervisor(std::shared_ptr<LoadedRig> rig, const RunOptions& options, const console::Console& console)
      : rig_(std::move(rig)), spec_(rig_->spec), options_(options), console_(console) {}

  int run();

 private:
  bool prepare();
  bool write_directory();
  bool make_plant();
  bool start_io();
  bool open_stop_ways();
  bool open_stop_inputs();
  void look_for_page();
  void begin();
  void look_on(WatchdogThread& watchdog);
  void gather();
  void give_up(rt::EventKind why, std::int64_t value, std::int64_t time_ns);
  void open_log();
  timing::TimingSummary summary();
  int fail(const Error& error, const std::string& hint);

  std::shared_ptr<LoadedRig> rig_;
  RigSpec& spec_;
  const RunOptions& options_;
  const console::Console& console_;

  std::optional<log::Log> log_file_;  // before all that speak through it, and ended after them
  log::Logger log_;
  RunReport report_{spec_, facts_, console_, log_};
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
  report_.say_errors({error}, hint);
  return console::kBadInput;
}

/// Once it is known which core is the plant's; the file comes with the run directory.
void Supervisor::open_log() {
  log_file_.emplace(options_.log, log_console(console_), wishes_of(spec_).core);
  log_ = log::Logger(*log_file_, "supervisor");
}

/// Everything that can be wrong before the plant starts, and what reports will say of the run.
bool Supervisor::prepare() {
  facts_.host_name = host::host_name();
  facts_.host = host::read_host_facts(spec_.core >= 0 ? std::optional(spec_.core) : std::nullopt);
  choose_cores(facts_.host, spec_);
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
  if (const auto failure = write_run_files(*directory_, spec_, facts_, *files_)) {
    code_ = fail(failure->error, "");
    return false;
  }
  events_.emplace(*directory_ / "events.jsonl", loop_constraint_names(rig_->model.model), spec_.plant.dt_s, log_,
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
    report_.say_errors(ways.error(), "");
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

/// Before io, which talks to strangers: by then nobody can map the plant's memory for writing any more. It waits there
/// until io is up.
bool Supervisor::make_plant() {
  if (options_.processes == Processes::kSingle) return true;
  auto plant = spawn_process(*directory_ / "rig.yaml", options_.plant, *files_);
  if (!plant) {
    code_ = fail(plant.error(), "--single-process runs the plant as a thread");
    return false;
  }
  plant_ = std::move(plant).value();
  to_kill_.store(plant_.get());
  const auto until = std::chrono::steady_clock::now() + kLongestMapping;
  while (memory_->plant_is_mapped.load(std::memory_order_acquire) == 0) {
    if (plant_->ended() || std::chrono::steady_clock::now() > until) {
      code_ = fail({"plant", "did not come up"}, "");
      return false;
    }
    std::this_thread::sleep_for(kMappingWait);
  }
  return true;
}

void Supervisor::begin() {
  start_ns_ = rt::MonotonicClock().now_ns();
  std::vector<WatchedThread> threads;
  if (stop_ways_) threads = stop_ways_->threads();
  if (stop_inputs_) threads.push_back(stop_inputs_->thread());
  parts_.emplace(*memory_, start_ns_, std::move(threads), log_);
  memory_->plant_may_begin.store(1, std::memory_order_release);
  if (options_.processes == Processes::kSeparate) return;
  plant_ = start_thread(rig_, *directory_ / "rig.yaml", options_.plant, *memory_);
  to_kill_.store(plant_.get());
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
    watchdog.parts_are_well(parts_->are_well(now_ns, io_.get()));
    if (parts_->plant_is_late(now_ns)) plant_->kill();
    look_for_page();
    if (!is_ready && memory_->heartbeat.running.load(std::memory_order_acquire) != 0) {
      is_ready = true;
      facts_.refusals = read_refusals(memory_->refusals);
      health_->ready();
    }
    if (signals_.wants_end()) memory_->stop.store(1, std::memory_order_relaxed);
    if (signals_.wants_report()) report_.print(summary(), status_, kReportPatience);
    if (spec_.duration_s > 0.0) progress.show(status_.time_s / spec_.duration_s, status_.time_s);
    if (watchdog.has_tripped()) {
      give_up(rt::EventKind::kWatchdogTripped, watchdog.silent_ns(), watchdog.tripped_ns());
      code_ = console::kWatchdogTripped;
    } else if (exit_status) {
      code_ = *exit_status;
    }
  }
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
    if (!is_refused && open_stop_inputs() && make_plant() && start_io()) {
      begin();
      report_.say_hello(*directory_, folder_ ? folder_->path() : std::filesystem::path());
      look_on(watchdog);
    }
    watchdog.stop();
    facts_.refusals = read_refusals(memory_->refusals);
    facts_.refusals.insert(facts_.refusals.end(), watchdog.refusals().begin(), watchdog.refusals().end());
  }
  const bool never_ran = memory_->heartbeat.iterations.load(std::memory_order_relaxed) == 0;
  if (*code_ == console::kDone || never_ran) health_->end_well();
  if (*code_ == console::kRefused) {
    report_.say_refusals();
    return *code_;
  }
  if (!parts_) return *code_;                                                // it did not begin
  if (*code_ > console::kSignalBase || *code_ == console::kInternalError) {  // killed, or ended by another's hand
    publish_last_frame(spec_, *memory_);
    give_up(rt::EventKind::kPlantDied, *code_, rt::MonotonicClock().now_ns());
    code_ = console::kInternalError;
  }
  if (io_) io_->stop();
  const timing::TimingSummary all = summary();
  report_.print(all, status_, kLastReportPatience);
  facts_.duration_s = static_cast<double>(rt::MonotonicClock().now_ns() - start_ns_) * 1e-9;
  const bool is_written = report_.write(all, *code_, *directory_, options_.certificate);
  if (!is_written && *code_ == console::kDone) code_ = console::kInternalError;
  if (options_.processes == Processes::kSingle && *code_ == console::kWatchdogTripped) {
    console_.out.flush();
    events_.reset();
    log_file_->close();
    std::_Exit(*code_);  // the stuck thread still uses what an orderly end would take away
  }
  return *code_;
}

}  // namespace

int supervise(std::shared_ptr<LoadedRig> rig, const RunOptions& options, const console::Console& console) {
  if (options.processes == Processes::kSingle) prepare_plant_process(rig->spec);
  return Supervisor(std::move(rig), options, console).run();
}

}  // namespace kinloop::run
