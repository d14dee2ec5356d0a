// Owns the timing of every formulation and integrator on trees of growing size.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "core/constraints/compile.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/integrators/integrator.hpp"

namespace kinloop {
namespace {

/// n bars of 0.3 m, revolute joints with axes turning by 90 degrees from each to the next.
Model chain(int n) {
  ModelSpec spec;
  spec.name = "chain";
  Matrix3 quarter_turn;
  quarter_turn << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  for (int i = 0; i < n; ++i) {
    BodySpec body;
    body.name = "link" + std::to_string(i);
    body.mass = 1.0;
    body.com = Vector3(0.15, 0.01, -0.01);
    body.inertia = Vector3(0.002, 0.008, 0.008).asDiagonal();
    JointSpec joint;
    joint.name = "joint" + std::to_string(i);
    joint.type = JointType::kRevolute;
    joint.predecessor = i == 0 ? kGround : spec.bodies.back().name;
    joint.successor = body.name;
    if (i > 0) joint.frame_pred.p = Vector3(0.3, 0.0, 0.0);
    if (i % 2 == 1) joint.frame_pred.R = joint.frame_succ.R = quarter_turn;
    joint.initial_q = {0.3 + 0.01 * i};
    joint.initial_u = {0.5 - 0.01 * i};
    spec.bodies.push_back(body);
    spec.joints.push_back(joint);
  }
  return compile(spec).value();
}

void accelerate(benchmark::State& bench, const std::string& formulation, int n) {
  const Model model = chain(n);
  State state(model);
  Workspace ws(model);
  const Loads loads(model);
  const std::unique_ptr<Dynamics> dynamics = make_dynamics(formulation, model).value();
  for (auto _ : bench) {
    state.q()[0] += 1e-9;
    benchmark::DoNotOptimize(accelerations(model, state, loads, *dynamics, ws));
  }
  bench.counters["ns_per_body"] =
      benchmark::Counter(n * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void step(benchmark::State& bench, const std::string& integrator_name, int n) {
  const Model model = chain(n);
  const State start(model);
  State state(model);
  Workspace ws(model);
  const Loads loads(model);
  const std::unique_ptr<Dynamics> dynamics = make_dynamics("auto", model).value();
  const std::unique_ptr<Integrator> integrator = make_integrator(integrator_name, model).value();
  int steps = 0;
  for (auto _ : bench) {
    if (++steps % 100 == 0) state = start;  // stays in the same regime however long the benchmark runs
    benchmark::DoNotOptimize(integrator->step(model, loads, 1e-3, *dynamics, state, ws));
  }
}

void register_all() {
  for (const DynamicsKind& kind : dynamics_kinds()) {
    for (const int n : {2, 7, 30, 100}) {
      const std::string name(kind.name);
      benchmark::RegisterBenchmark(("chain" + std::to_string(n) + "/" + name).c_str(),
                                   [name, n](benchmark::State& bench) { accelerate(bench, name, n); });
    }
  }
  for (const IntegratorKind& kind : integrator_kinds()) {
    const std::string name(kind.name);
    benchmark::RegisterBenchmark(("chain7_step/" + name).c_str(),
                                 [name](benchmark::State& bench) { step(bench, name, 7); });
  }
}

}  // namespace
}  // namespace kinloop

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  kinloop::register_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
