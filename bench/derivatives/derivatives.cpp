// Owns the timing of exact derivatives: A and B of a step, in forward dynamics and in steps of the same mechanism.
//
// One line a mechanism; every figure is the least mean of several rounds, all mechanisms in one run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include "bench/chain.hpp"
#include "core/analysis/state_chart.hpp"
#include "core/analysis/step_derivatives.hpp"
#include "core/base/stepping_mode.hpp"
#include "core/constraints/compile.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop {
namespace {

int rounds = 9;
double round_s = 0.02;

/// Seconds a call takes.
double time_of(const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::infinity();
  int calls = 1;
  for (int r = 0; r < rounds;) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    const double taken = std::chrono::duration<double>(Clock::now() - start).count();
    if (taken < round_s) {
      calls *= 2;
      continue;
    }
    best = std::min(best, taken / calls);
    ++r;
  }
  return best;
}

void measure(const std::string& name, const Model& model, const PlantSpec& spec) {
  auto plant = Plant::make(model, spec).value();
  const State start = plant->initial_state();
  StepInput input;
  input.count = static_cast<std::uint32_t>(plant->actuator_count());
  State state = start;
  const StateChart chart = StateChart::make(*plant, start).value();
  std::vector<char> independent(static_cast<std::size_t>(model.nv()), 0);
  for (const int i : chart.independents()) independent[static_cast<std::size_t>(i)] = 1;
  const std::string refused = StepPropagator::refusal(*plant, 0);
  if (!refused.empty()) {
    std::printf("%-18s no exact derivatives because of %s\n", name.c_str(), refused.c_str());
    return;
  }
  StepDerivatives derivatives(*plant, 0, independent, start);
  Workspace ws(model);
  const Loads loads(model);
  Dynamics& dynamics = plant->dynamics(0);

  const double forward_s = time_of([&] {
    dynamics.begin_step(start);
    accelerations(model, start, loads, dynamics, ws);
  });
  const double step_s = time_of([&] {
    state.block() = start.block();
    plant->step(input, state);
  });
  const double derivatives_s = time_of([&] { derivatives.update(start, input); });
  std::printf("%-18s %-20s forward %9.3f us  step %9.3f us  A and B %9.3f us = %6.1f forward, %6.1f steps\n",
              name.c_str(), plant->integrator(0).name.c_str(), forward_s * 1e6, step_s * 1e6, derivatives_s * 1e6,
              derivatives_s / forward_s, derivatives_s / step_s);
}

int run() {
  const SteppingMode mode;
  for (const int n : {7, 30}) {
    const Model model = compile(bench_chain(n)).value();
    PlantSpec spec;
    spec.levels = {{"auto", "semi_implicit_euler", 1, {}}};
    for (int i = 0; i < n; ++i) {
      ActuatorSpec torque;
      torque.name = "torque" + std::to_string(i);
      torque.joint = model.speed_name(i);
      spec.actuators.push_back(torque);
    }
    measure(model.name(), model, spec);
  }
  for (const char* name : {"four_bar", "five_bar", "excavator", "stewart"}) {
    const auto rig = load_rig(std::string("configs/rigs/") + name + ".yaml");
    if (!rig) {
      std::printf("%s: cannot be loaded; run from the root of the tree\n", name);
      return 1;
    }
    measure(name, rig->model.model, rig->spec.plant);
  }
  return 0;
}

}  // namespace
}  // namespace kinloop

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--smoke") == 0) {
    kinloop::rounds = 1;
    kinloop::round_s = 1e-4;
  }
  return kinloop::run();
}
