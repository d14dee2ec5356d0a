// Tests starts that no step can follow: every formulation and integrator refuses them and leaves the state as it was.
#include <gtest/gtest.h>

#include "core/constraints/compile.hpp"
#include "tests/adversary/draw.hpp"
#include "tests/adversary/trial.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop::adversary {
namespace {

/// What the first step says, the same for all; the state must not move.
StepStatus first_status(const Model& model, std::string_view integrator, double dt_s) {
  StepStatus first = StepStatus::kOk;
  for (const DynamicsKind& kind : dynamics_kinds()) {
    if (!kind.refusal(model).empty()) continue;
    Simulation simulation(model, integrator, kind.name);
    const VectorX before = simulation.state.block();

    const StepStatus status = simulation.step(dt_s);

    EXPECT_FALSE(is_done(status)) << kind.name << ' ' << integrator;
    EXPECT_EQ(simulation.state.block(), before) << kind.name << ' ' << integrator;
    first = status;
  }
  return first;
}

// Rings whose links lie nearly in line, 4e-7 and 9e-7 from flat: the speeds at the start turn within less than a step.
// Before such steps were refused they made 1e6 J of 0.1 J, and said nothing.
TEST(RefusedStart, IsOneThatTurnsWithinTheStep) {
  for (const std::uint64_t seed : {800289U, 800452U}) {
    const auto model = compile(draw_mechanism(seed).spec);
    const double dt_s = seed == 800289U ? 1.3e-4 : 1.9e-5;
    for (const std::string_view integrator : {"rk4", "semi_implicit_euler", "heun", "ab4"}) {
      EXPECT_EQ(first_status(*model, integrator, dt_s), StepStatus::kUnresolved) << seed << ' ' << integrator;
    }
  }
}

// The first of them with a step that is short enough goes on and keeps its energy.
TEST(RefusedStart, IsNoneWithAStepThatFollows) {
  constexpr double kDt_s = 1e-8;
  const Draw draw = draw_mechanism(800289);
  const Topology topology(draw.spec);
  const auto model = compile(draw.spec);
  for (const std::string_view name : {"semi_recursive_1", "semi_recursive_2", "partition", "rcr"}) {
    Simulation simulation(*model, "rk4", name);
    const auto energy_J = [&] {
      const State& state = simulation.state;
      return static_cast<double>(
          energy_of(draw.spec, topology, situation_of(state.q(), state.v(), state.time_s())).total());
    };
    const double before_J = energy_J();

    ASSERT_EQ(simulation.run(kDt_s, 2000), StepStatus::kOk) << name;

    EXPECT_NEAR(energy_J(), before_J, 1e-6) << name << ", of 0.1 J that move";
  }
}

// 1e-10 to 1e-9 from flat: a row that no longer counts asks the speeds for an acceleration that the others do not let
// it have, so that no branch leads on along them. Before, such a step was believed and the next one took nearly all of
// the energy.
TEST(RefusedStart, IsOneFromWhichNoBranchLeadsOn) {
  for (const std::uint64_t seed : {800631U, 801408U, 801593U, 801975U}) {
    const auto model = compile(draw_mechanism(seed).spec);
    for (const double dt_s : {1e-4, 1e-6}) first_status(*model, "rk4", dt_s);
  }
}

}  // namespace
}  // namespace kinloop::adversary
