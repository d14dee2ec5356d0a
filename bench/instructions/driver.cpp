// Owns the main kernels, each called a few times: callgrind counts the calls one by one.
//
// A kernel is called warm, from the same state each time. Every call is dumped with its name, which count.py reads.
#include <valgrind/callgrind.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/chain.hpp"
#include "core/analysis/state_chart.hpp"
#include "core/analysis/step_derivatives.hpp"
#include "core/base/stepping_mode.hpp"
#include "core/constraints/compile.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/integrators/integrator.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop {
namespace {

template <class Call>
void count_kernel(const std::string& name, const Call& call) {
  call();  // warm
  CALLGRIND_ZERO_STATS;
  call();
  CALLGRIND_DUMP_STATS_AT(name.c_str());
}

/// One evaluation, the first of a step, by a formulation of that name; nothing where it refuses the model.
void count_accelerations(const std::string& name, const Model& model, const State& start,
                         const std::string& formulation) {
  auto made = make_dynamics(formulation, model);
  if (!made) return;
  const std::unique_ptr<Dynamics> dynamics = std::move(made).value();
  Workspace ws(model);
  const Loads loads(model);
  count_kernel(name + "/" + formulation, [&] {
    dynamics->begin_step(start);
    accelerations(model, start, loads, *dynamics, ws);
  });
}

void count_step(const std::string& name, const Model& model, const State& start, const std::string& integrator_name) {
  const std::unique_ptr<Dynamics> dynamics = make_dynamics("auto", model).value();
  const std::unique_ptr<Integrator> integrator = make_integrator(integrator_name, model).value();
  Workspace ws(model);
  const Loads loads(model);
  State state = start;
  count_kernel(name + "/step " + integrator_name, [&] {
    state.block() = start.block();
    integrator->step(model, loads, 1e-3, *dynamics, state, ws);
  });
}

void count_chain(int bodies) {
  const Model model = compile(bench_chain(bodies)).value();
  const State start(model);
  for (const DynamicsKind& kind : dynamics_kinds())
    count_accelerations(model.name(), model, start, std::string(kind.name));
  for (const char* integrator : {"semi_implicit_euler", "rk4", "linearly_implicit"}) {
    count_step(model.name(), model, start, integrator);
  }
}

/// The whole of a plant: evaluation, step, what sensors show, derivatives.
bool count_rig(const std::string& name) {
  const auto rig = load_rig("configs/rigs/" + name + ".yaml");
  if (!rig) {
    std::fprintf(stderr, "configs/rigs/%s.yaml cannot be loaded: run from the root of the tree\n", name.c_str());
    return false;
  }
  const Model& model = rig->model.model;
  auto plant = Plant::make(model, rig->spec.plant).value();
  const State start = plant->initial_state();
  for (const char* formulation : {"rcr", "semi_recursive_1", "semi_recursive_2", "partition"}) {
    count_accelerations(name, model, start, formulation);
  }
  StepInput input;
  input.count = static_cast<std::uint32_t>(plant->actuator_count());
  State state = start;
  count_kernel(name + "/plant step", [&] {
    state.block() = start.block();
    plant->step(input, state);
  });
  std::vector<Reading> readings(plant->sensor_count());
  count_kernel(name + "/plant sense", [&] { plant->sense(state, readings); });
  if (!StepPropagator::refusal(*plant, 0).empty()) return true;
  const StateChart chart = StateChart::make(*plant, start).value();
  std::vector<char> independent(static_cast<std::size_t>(model.nv()), 0);
  for (const int i : chart.independents()) independent[static_cast<std::size_t>(i)] = 1;
  StepDerivatives derivatives(*plant, 0, independent, start);
  count_kernel(name + "/A and B", [&] { derivatives.update(start, input); });
  return true;
}

int count_all() {
  const SteppingMode mode;
  for (const int bodies : {7, 30, 100}) count_chain(bodies);
  for (const char* name : {"four_bar", "five_bar", "double_wishbone", "excavator", "stewart", "crane"}) {
    if (!count_rig(name)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace kinloop

int main() { return kinloop::count_all(); }
