// Facts from the problems' public specifications.
#include "bench/iftomm/problems.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include "bench/iftomm/one_dof.hpp"
#include "bench/iftomm/run.hpp"
#include "bench/peers/closed_mechanisms.hpp"
#include "bench/peers/model_spec_of.hpp"
#include "core/constraints/compile.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "services/files/load_model.hpp"

namespace kinloop::bench {
namespace {

constexpr int kOutputs = 400;
const std::filesystem::path kSource = KINLOOP_SOURCE_DIR;

Problem make_problem(std::string name, std::string title, Model model) {
  Loads loads(model);
  return {std::move(name), std::move(title), {}, std::move(model), std::move(loads), 10.0, {}, {}, {}};
}

Problem load_problem(std::string name, std::string title, const std::filesystem::path& file) {
  auto loaded = load_model(kSource / file);
  require(loaded.has_value(), "the model of the problem can be read");
  Problem problem = make_problem(std::move(name), std::move(title), std::move(loaded->model));
  for (std::size_t i = 0; i < loaded->tau.size(); ++i) problem.loads.tau[static_cast<Eigen::Index>(i)] = loaded->tau[i];
  return problem;
}

double initial_energy_J(const Problem& problem) {
  const State state(problem.model);
  Workspace ws(problem.model);
  update_kinematics(problem.model, state, ws);
  return balanced_energy_J(problem, state, ws);
}

/// A point on a circle of 1 m about the origin, whose angle obeys the equation of a pendulum.
void set_swinging_reference(double k, Swing state, Observe what, Problem& problem) {
  problem.reference.resize(what == Observe::kPosition ? 2 : 4, kOutputs);
  for (int i = 0; i < kOutputs; ++i) {
    state = swing(k, state, problem.duration_s / kOutputs);
    const double c = std::cos(state.angle_rad), s = std::sin(state.angle_rad);
    problem.reference.col(i).head(2) << c, s;
    if (what == Observe::kPositionAndVelocity)
      problem.reference.col(i).tail(2) << -s * state.rate_radps, c * state.rate_radps;
  }
  problem.energy_J = VectorX::Constant(kOutputs, initial_energy_J(problem));
}

/// With steps of which `steps_per_output` make an output, and a formulation that `auto` would not take.
void set_own_reference(int steps_per_output, Problem& problem) {
  const std::string_view chosen = choose_dynamics(problem.model).name;
  Method method{"", "rk4", steps_per_output};
  for (const DynamicsKind& kind : dynamics_kinds())
    if (method.formulation.empty() && kind.name != chosen && kind.refusal(problem.model).empty())
      method.formulation = kind.name;
  require(!method.formulation.empty(), "two formulations accept the model");
  const Trajectory fine = record(problem, kOutputs, method);
  method.steps_per_output /= 2;
  const Trajectory coarse = record(problem, kOutputs, method);
  problem.reference = fine.observed;
  problem.energy_J = fine.energy_J;
  char text[200];
  std::snprintf(text, sizeof text, "own: %s, rk4, %.3g us; with twice the step the error is %.0e",
                method.formulation.c_str(), problem.duration_s / kOutputs / steps_per_output * 1e6,
                error_of(problem, coarse.observed, fine.observed));
  problem.answer = text;
}

Problem simple_pendulum() {
  ModelSpec spec;
  spec.name = "simple_pendulum";
  spec.gravity = Vector3(0.0, -9.81, 0.0);
  BodySpec mass;
  mass.name = "mass";
  mass.mass = 1.0;
  mass.com = Vector3(1.0, 0.0, 0.0);
  spec.bodies.push_back(mass);
  JointSpec pin;
  pin.name = "pin";
  pin.type = JointType::kRevolute;
  pin.predecessor = kGround;
  pin.successor = mass.name;
  pin.initial_q = {-std::numbers::pi};
  spec.joints.push_back(pin);
  Problem problem = make_problem("A01", "simple pendulum", compile(spec).value());
  problem.observe = point_observer(problem.model, "mass", mass.com, {0, 1}, Observe::kPosition);
  set_swinging_reference(9.81, {-std::numbers::pi, 0.0}, Observe::kPosition, problem);
  problem.answer = "one-dof equation, Taylor series to rounding";
  return problem;
}

Problem n_four_bars(int windows, Cut cut) {
  const Swing start{std::numbers::pi / 2, -1.0};
  const MotionState state = n_four_bar_state(windows, start.angle_rad, start.rate_radps);
  Problem problem = make_problem("A02_" + std::to_string(windows) + (cut == Cut::kAtGround ? "_ground" : "_top"),
                                 "N-four-bar, N = " + std::to_string(windows) +
                                     (cut == Cut::kAtGround ? ", loops cut at the ground" : ", loops cut at the top"),
                                 compile(model_spec_of(n_four_bar(windows, cut), state)).value());
  problem.duration_s = 20.0;
  problem.observe =
      point_observer(problem.model, "bar0", Vector3(1.0, 0.0, 0.0), {0, 1}, Observe::kPositionAndVelocity);
  set_swinging_reference(n_four_bar_constant(windows), start, Observe::kPositionAndVelocity, problem);
  problem.answer = "one-dof equation of the parallelogram branch, Taylor series to rounding";
  return problem;
}

// Columns t, q1 ... q7, u1 ... u7, ..., T, V; energies of the last two.
Problem andrews() {
  const std::filesystem::path folder = "tests/data/trajectories";
  Problem problem = load_problem("A03", "Andrews' squeezer", folder / "andrews.json");
  problem.duration_s = 0.05;
  problem.threshold = 1e-5;  // of a mechanism that is smaller by a hundred
  problem.observe = point_observer(problem.model, "K2", Vector3(-0.028, 0.0, 0.0), {0, 1}, Observe::kPosition);
  problem.answer = "tests/data/trajectories/andrews.csv (DOP853, 1e-12, another program)";
  std::ifstream file(kSource / folder / "andrews.csv");
  std::string line;
  std::getline(file, line);  // names
  std::getline(file, line);  // the start
  State state(problem.model);
  Workspace ws(problem.model);
  std::vector<VectorX> columns;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string cell;
    std::getline(cells, cell, ',');  // time
    for (double& q : state.q()) {
      std::getline(cells, cell, ',');
      q = std::stod(cell);
    }
    update_kinematics(problem.model, state, ws);
    columns.push_back(problem.observe(problem.model, state, ws));
  }
  require(columns.size() == 200, "the stored trajectory is complete");
  problem.reference.resize(2, static_cast<Eigen::Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) problem.reference.col(static_cast<Eigen::Index>(i)) = columns[i];
  problem.energy_J = VectorX::Constant(problem.outputs(), initial_energy_J(problem));
  return problem;
}

Problem bricard() {
  Problem problem = load_problem("A04", "Bricard's mechanism", "configs/models/bricard.yaml");
  problem.observe = point_observer(problem.model, "rod2", Vector3(0.0, -1.0, 0.0), {0, 1, 2}, Observe::kPosition);
  set_own_reference(250, problem);
  problem.energy_J.setConstant(initial_energy_J(problem));
  return problem;
}

// Its dampers take energy: the balance is measured by the reference's.
Problem governor() {
  Problem problem = load_problem("A05", "stiff flyball governor", "configs/models/flyball_governor.yaml");
  problem.observe = point_observer(problem.model, "slider", Vector3::Zero(), {2}, Observe::kPosition);
  set_own_reference(2000, problem);
  return problem;
}

}  // namespace

std::vector<Problem> iftomm_problems(const std::string& filter) {
  struct Entry {
    std::string name;
    Problem (*make)();
  };
  const Entry entries[] = {
      {"A01", simple_pendulum},
      {"A02_2_ground", [] { return n_four_bars(2, Cut::kAtGround); }},
      {"A02_40_ground", [] { return n_four_bars(40, Cut::kAtGround); }},
      {"A02_40_top", [] { return n_four_bars(40, Cut::kAtTop); }},
      {"A03", andrews},
      {"A04", bricard},
      {"A05", governor},
  };
  std::vector<Problem> problems;
  for (const Entry& entry : entries)
    if (entry.name.find(filter) != std::string::npos) problems.push_back(entry.make());
  return problems;
}

}  // namespace kinloop::bench
