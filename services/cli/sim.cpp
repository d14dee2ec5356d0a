// Plans, simulates, writes, and says how it went.
#include "services/cli/sim.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <ostream>

#include "core/constraints/consistent_initial_state.hpp"
#include "core/constraints/constraint_rank.hpp"
#include "core/integrators/step_limits.hpp"
#include "services/cli/balance_text.hpp"
#include "services/cli/interrupt.hpp"
#include "services/cli/load_options.hpp"
#include "services/cli/motion_chart.hpp"
#include "services/cli/motion_csv.hpp"
#include "services/cli/reactions_csv.hpp"
#include "services/cli/simulation.hpp"
#include "services/cli/time_argument.hpp"
#include "services/console/exit_code.hpp"
#include "services/console/progress_bar.hpp"
#include "services/console/table.hpp"
#include "services/files/load_model.hpp"

namespace kinloop::cli {
namespace {

constexpr double kMaxSteps = 1e12;
constexpr long long kStepsBetweenLooks = 64;  // at the clock and the signal

Result<SimulationPlan> plan_of(const SimOptions& options) {
  const Result<double> duration_s = read_time("--duration", options.duration);
  if (!duration_s) return duration_s.error();
  const Result<double> dt_s = read_time("--dt", options.dt);
  if (!dt_s) return dt_s.error();
  if (options.every < 1) return Error{"--every", "must be 1 or more"};
  if (*dt_s > *duration_s)
    return Error{"--dt", "is longer than the duration of " + console::plain_number(*duration_s) + " s"};
  const double steps = std::ceil(*duration_s / *dt_s - 1e-9);  // a duration is reached, also if it is no multiple of dt
  if (!(steps <= kMaxSteps))
    return Error{"--dt", "asks for " + console::short_number(steps) + " steps, more than can be done"};
  return SimulationPlan{*dt_s, static_cast<long long>(steps), options.every};
}

/// Where the rows go, and what went wrong there.
class Output {
 public:
  /// False if the file cannot be opened; the reason is in failure().
  bool open(const std::string& path, const console::Console& console) {
    path_ = path;
    if (path == "-") {
      stream_ = &console.out;
    } else if (!path.empty()) {
      errno = 0;
      file_.open(path, std::ios::binary | std::ios::trunc);
      stream_ = &file_;
      check();
    }
    return failure_.empty();
  }
  std::ostream* stream() noexcept { return stream_; }
  /// Notes the first failure of the stream; true while there is none.
  bool check() {
    if (failure_.empty() && stream_ != nullptr && !*stream_) {
      failure_ = errno != 0 ? std::strerror(errno) : "cannot be written";
    }
    return failure_.empty();
  }
  bool flush() {
    if (stream_ != nullptr && failure_.empty()) {
      errno = 0;
      stream_->flush();
    }
    return check();
  }
  Error error() const { return {path_ == "-" ? "standard output" : path_, failure_}; }

 private:
  std::string path_;
  std::ofstream file_;
  std::ostream* stream_ = nullptr;
  std::string failure_;
};

struct Ingredients {
  std::unique_ptr<Dynamics> dynamics;
  std::unique_ptr<Integrator> integrator;
  std::string reason;  // of `auto`
};

/// `auto` becomes a method; one that was named is judged.
IntegratorChoice choose(const SimOptions& options, const Model& model, double dt_s, const console::Console& console) {
  const FastestMotion fastest = fastest_at_start(model);
  IntegratorChoice choice = integrator_of_sim(options.integrator, model, fastest, dt_s);
  console::print_warnings(console, step_warnings(model, fastest, dt_s, choice.name));
  return choice;
}

std::optional<Ingredients> make_ingredients(const SimOptions& options, const Model& model, double dt_s,
                                            const console::Console& console) {
  auto dynamics = make_dynamics(options.dynamics, model);
  const IntegratorChoice choice = choose(options, model, dt_s, console);
  auto integrator = make_integrator(choice.name, model);
  if (!dynamics) console::print_errors(console, {{"--dynamics " + dynamics.error().where, dynamics.error().what}}, "");
  if (!integrator)
    console::print_errors(console, {{"--integrator " + integrator.error().where, integrator.error().what}}, "");
  const auto stabilization = find_stabilization(options.stabilization);
  if (!stabilization)
    console::print_errors(console, {{"--loops " + options.stabilization, stabilization.error().what}}, "");
  const bool sound = options.loop_tolerance > 0.0 && options.loop_iterations >= 1;
  if (!sound) console::print_errors(console, {{"--loop-tolerance, --loop-iterations", "must be positive"}}, "");
  if (!dynamics || !integrator || !stabilization || !sound) return std::nullopt;
  Ingredients with{std::move(dynamics).value(), std::move(integrator).value(), choice.reason};
  Stabilization& settings = with.integrator->loops().settings();
  settings.kind = *stabilization;
  settings.tolerance = options.loop_tolerance;
  settings.max_iterations = options.loop_iterations;
  return with;
}

/// The state to start from: the model's own, closed first where that is asked for or only digits are missing.
std::optional<State> start_of(const SimOptions& options, const Model& model, const console::Console& console) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  const Result<ClosedStart> start = consistent_initial_state(model, options.assemble ? kAny : kRoundingOfFiles);
  if (!start) {
    console::print_errors(console, {start.error()},
                          options.assemble
                              ? "see: kinloop check --assemble " + options.file
                              : "sim --assemble closes them first; kinloop check --assemble shows the closed state");
    return std::nullopt;
  }
  State state(model);
  state.q() = start->q;
  state.v() = start->v;
  return state;
}

Loads loads_of(const LoadedModel& loaded) {
  Loads loads(loaded.model);
  if (!loaded.tau.empty()) loads.tau = Eigen::Map<const VectorX>(loaded.tau.data(), loaded.model.nv());
  return loads;
}

void print_summary(const std::string& name, const SimulationResult& r, const Model& model, const Loads& loads,
                   const Ingredients& with, std::ostream& out) {
  const double wall_s = std::max(r.wall_s, 1e-9);
  out << name << ": " << console::plain_number(r.time_s) << " s in " << r.steps << " steps with "
      << with.dynamics->name() << " and " << with.integrator->name() << "\n";
  if (!with.reason.empty()) out << "  auto    " << with.integrator->name() << ": " << with.reason << "\n";
  out << "  speed   " << console::plain_number(static_cast<double>(r.steps) / wall_s) << " steps/s, "
      << console::plain_number(r.time_s / wall_s) << " times real time (" << console::plain_number(r.wall_s) << " s)\n";
  out << "  energy  " << console::plain_number(r.first.total_J()) << " J at the start, "
      << console::plain_number(r.last.total_J()) << " J at the end";
  if (is_conservative(model, loads)) {
    out << "; largest drift " << console::short_number(r.largest_drift_J) << " J";
    if (r.energy_scale_J > 0.0)
      out << ", " << console::short_number(r.largest_drift_J / r.energy_scale_J) << " of what is exchanged";
    out << "\n";
  } else {
    out << " (not conserved: the model has dampers, friction, drives or applied forces)\n";
  }
  if (r.balance) out << "  account " << balance_text(*r.balance, with.integrator->name()) << "\n";
  if (!model.has_loops()) return;
  const LoopReport& loops = with.integrator->loops().report();
  out << "  loops   open by at most " << console::short_number(loops.largest_error) << " in position, "
      << console::short_number(loops.largest_rate) << "/s in velocity; " << loops.capped_steps
      << " steps stopped at the bound of iterations\n";
  const BasisReport& basis = with.dynamics->report();
  out << "  checked loop constraints missed by at most " << console::short_number(basis.worst_closure)
      << " of an acceleration; " << basis.fallbacks << " answers taken from another formulation\n";
  if (basis.switches == 0 && basis.singular == 0) return;
  out << "  basis   " << basis.switches << " switches of coordinates, " << basis.singular
      << " evaluations in a singular position\n";
}

/// Why the last step failed.
std::string failure_of(StepStatus status, const Model& model, const Dynamics& dynamics) {
  std::string text(describe(status));
  const int loop = dynamics.report().failed_loop;
  if (status == StepStatus::kUnverified && loop >= 0) {
    text += ", least of all '" + loop_constraint_names(model)[static_cast<std::size_t>(loop)] + "'";
  }
  return text;
}

int report_end(const SimulationResult& r, const std::string& failure, const SimulationPlan& plan, int signal,
               const console::Console& console) {
  if (!is_done(r.status)) {
    const bool was_good = r.status != StepStatus::kDiverged;
    console::print_errors(
        console,
        {{"t = " + console::plain_number(r.time_s) + " s",
          failure + (was_good ? "; this is the last good state" : "")}},
        "a smaller --dt, or --integrator linearly_implicit for stiff models, may go further; see: kinloop check");
    return console::kDiffers;
  }
  if (signal != 0 && r.steps < plan.steps) {
    console.err << "stopped at t = " << console::plain_number(r.time_s) << " s of "
                << console::plain_number(static_cast<double>(plan.steps) * plan.dt_s) << " s\n";
    return console::kSignalBase + signal;
  }
  return console::kDone;
}

}  // namespace

int run_sim(const SimOptions& options, const console::Console& console) {
  const Result<SimulationPlan> plan = plan_of(options);
  if (!plan) {
    console::print_errors(console, {plan.error()}, "");
    return console::kBadInput;
  }
  const auto loaded = load_model(options.file, options.load);
  if (!loaded) {
    console::print_errors(console, loaded.error(), "");
    return console::kBadInput;
  }
  console::print_warnings(console, loaded->warnings);
  const std::optional<Ingredients> with = make_ingredients(options, loaded->model, plan->dt_s, console);
  if (!with) return console::kBadInput;
  std::optional<State> state = start_of(options, loaded->model, console);
  if (!state) return console::kBadInput;
  Output output;
  Output reactions_output;
  for (const auto& [file, path] : {std::pair{&output, &options.out}, {&reactions_output, &options.reactions}}) {
    if (file->open(*path, console)) continue;
    console::print_errors(console, {file->error()}, "");
    return console::kBadInput;
  }

  const Loads loads = loads_of(*loaded);
  std::optional<MotionCsv> csv;
  if (output.stream() != nullptr) csv.emplace(loaded->model, *output.stream()).write_header();
  std::optional<ReactionsCsv> reactions;
  if (reactions_output.stream() != nullptr) {
    reactions.emplace(loaded->model, *reactions_output.stream()).write_header();
  }
  MotionChart chart(loaded->model, static_cast<double>(plan->steps) * plan->dt_s);
  const Interrupt interrupt;
  SimulationResult result;
  {
    console::ProgressBar progress(console);
    SimulationCallbacks callbacks;
    callbacks.sample = [&](const Sample& sample) {
      errno = 0;
      if (csv) csv->write(sample);
      chart.add(sample.state);
      output.check();
    };
    if (reactions) {
      callbacks.reactions = [&](double time_s, const Reactions& found) { reactions->write(time_s, found); };
    }
    callbacks.after_step = [&](long long step, double time_s) {
      if (step % kStepsBetweenLooks != 0) return Go::kOn;
      progress.show(static_cast<double>(step) / static_cast<double>(plan->steps), time_s);
      return interrupt.signal() != 0 || !output.check() ? Go::kStop : Go::kOn;
    };
    result = simulate(loaded->model, loads, *plan, *with->dynamics, *with->integrator, callbacks, *state);
  }
  const bool written = output.flush() && reactions_output.flush();
  std::ostream& report = options.out == "-" ? console.err : console.out;
  print_summary(shown_name(loaded->model, options.file), result, loaded->model, loads, *with, report);
  report << "\n";
  chart.print(report);
  const CoarseSteps& coarse = with->integrator->coarse_steps();
  if (coarse.steps > 0)
    console::print_warnings(
        console, {{"t = 0 to " + console::plain_number(result.time_s) + " s", describe(coarse, loaded->model)}});
  const int code =
      report_end(result, failure_of(result.status, loaded->model, *with->dynamics), *plan, interrupt.signal(), console);
  if (!written) {
    console::print_errors(console, {output.flush() ? reactions_output.error() : output.error()},
                          "the file is not complete");
    return code == console::kDone ? console::kInternalError : code;
  }
  return code;
}

void add_sim(CLI::App& app, Job& job) {
  CLI::App* verb = app.add_subcommand("sim", "simulate as fast as possible, keep the motion as CSV");
  auto options = std::make_shared<SimOptions>();
  std::string dynamics = "formulation: auto";
  for (const DynamicsKind& kind : dynamics_kinds()) dynamics += ", " + std::string(kind.name);
  std::string integrators = "integrator: auto";
  for (const IntegratorKind& kind : integrator_kinds()) integrators += ", " + std::string(kind.name);
  verb->add_option("FILE", options->file, "the model: Kinloop YAML, URDF, SDF, or test vectors")->required();
  add_load_options(*verb, options->load);
  verb->add_option("-t,--duration", options->duration, "simulated time in whole steps, with or without a unit")
      ->capture_default_str();
  verb->add_option("--dt", options->dt, "step, with or without a unit")->capture_default_str();
  verb->add_option("-d,--dynamics", options->dynamics, dynamics)->capture_default_str();
  verb->add_option("-i,--integrator", options->integrator, integrators)->capture_default_str();
  verb->add_option("--loops", options->stabilization, "how loops are kept closed: projection, baumgarte, none")
      ->capture_default_str();
  verb->add_option("--loop-tolerance", options->loop_tolerance, "to which loops are closed: rad, or lengths")
      ->capture_default_str();
  verb->add_option("--loop-iterations", options->loop_iterations, "most iterations a step to close them")
      ->capture_default_str();
  verb->add_flag("--assemble", options->assemble, "close loops that are open in the initial state");
  verb->add_option("--reactions", options->reactions,
                   "CSV file of the forces and moments in all joints; a cell that statics leave open is empty");
  verb->add_option("-o,--out", options->out, "CSV file; - for standard output");
  verb->add_option("--every", options->every, "steps from one row to the next")->capture_default_str();
  verb->footer(
      "CSV columns: t, q.<joint>, u.<joint>, kinetic_J, potential_J, closure_error and closure_rate with\n"
      "loops, drive.<joint> (force of a driven joint).\n"
      "Test vectors start at their first case, trajectories at their start, with the forces given there.\n"
      "\n"
      "exit codes: 0 done, 2 bad usage or model, 5 a step failed or the motion diverged (what was before is the last "
      "row),\n"
      "130 stopped by Ctrl-C (the file is complete up to there), 1 the file could not be written\n"
      "\n"
      "examples:\n"
      "  kinloop sim configs/models/demo.yaml --duration 5 --dt 0.5ms\n"
      "  kinloop sim configs/models/double_pendulum.yaml -t 2 -o motion.csv --every 10\n"
      "  kinloop sim configs/models/n_four_bar.yaml --set windows=40 -t 5\n"
      "  kinloop sim configs/models/four_bar.yaml -t 5 --dynamics rcr --reactions forces.csv\n"
      "  kinloop sim configs/models/pendulum.yaml -t \"1 min\" -i semi_implicit_euler -o - | tail -n 1");
  verb->callback(
      [options, &job] { job = [options](const console::Console& console) { return run_sim(*options, console); }; });
}

}  // namespace kinloop::cli
