// Owns the timing of every formulation and integrator on trees of growing size.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "bench/chain.hpp"
#include "core/constraints/compile.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/integrators/integrator.hpp"

namespace kinloop {
namespace {

Model chain(int n) { return compile(bench_chain(n)).value(); }

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
