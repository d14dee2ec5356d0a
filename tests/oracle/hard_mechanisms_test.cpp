// Every formulation, alone and unchecked, on mechanisms that are hard for solvers of closed loops: tests/data/hard.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/reactions.hpp"
#include "core/dynamics/energy.hpp"
#include "core/integrators/fastest_motion.hpp"
#include "core/integrators/integrator.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "services/cli/vector_comparison.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

LoadedModel load_hard(const std::string& file) {
  auto loaded = load_model(std::string(KINLOOP_SOURCE_DIR) + "/tests/data/hard/" + file, {});
  require(loaded.has_value(), "part of the project");
  return std::move(loaded).value();
}

class HardPositions : public testing::TestWithParam<std::string> {};

TEST_P(HardPositions, AreSolvedByEveryFormulationItself) {
  const LoadedModel file = load_hard(GetParam() + ".json");
  for (const std::string_view name : mechanisms::methods_for(file.model)) {
    const auto bare = make_bare_dynamics(name, file.model);

    const VectorComparison comparison = compare_with_vectors(file, **bare);

    EXPECT_EQ(comparison.status, StepStatus::kOk) << name;
    EXPECT_EQ(comparison.errors.skipped, 0);
    EXPECT_LT(comparison.worst(), 1e-11) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, HardPositions,
                         testing::Values("bennett", "floating8", "mixed_scales", "planar6", "spatial12", "stages6",
                                         "straight_ends11", "weak_tails20"),
                         [](const auto& of) { return of.param; });

// Accelerations are 1e8 times as large as at a metre. The file takes a moment of a universal joint for determined that
// a self-stress of 3e-9 N m per newton touches: at a micrometre that is no rounding, so it is compared by its flags
// only.
TEST(HardPositions, AMicrometreIsALengthLikeAnyOther) {
  const LoadedModel file = load_hard("micrometre.json");
  const Model& model = file.model;
  for (const std::string_view name : mechanisms::methods_for(model)) {
    const VectorComparison comparison = compare_with_vectors(file, **make_bare_dynamics(name, model));
    EXPECT_EQ(comparison.status, StepStatus::kOk) << name;
    EXPECT_LT(*comparison.errors.udot, 1e-8) << name;
    EXPECT_LT(*comparison.errors.motion, 1e-11) << name;
    EXPECT_LT(*comparison.errors.acceleration, 1e-11) << name;
    EXPECT_LT(*comparison.errors.energy, 1e-11) << name;
  }
  State state(model);
  Workspace ws(model);
  ASSERT_EQ(accelerations(model, state, Loads(model), **make_dynamics("auto", model), ws), StepStatus::kOk);

  const Reactions reactions = find_reactions(model, ws);
  const FastestMotion fastest = fastest_motion(model, state, ws);

  for (const ExpectedReaction& expected : file.cases[0].expected.reactions) {
    if (expected.joint == "loop2") continue;
    const int k = model.find_joint(expected.joint);
    const Reaction& actual =
        k >= 0 ? reactions.joints[static_cast<std::size_t>(k)] : reactions.loops[expected.joint == "loop0" ? 0 : 1];
    EXPECT_EQ(actual.unique, expected.unique) << expected.joint;
  }
  EXPECT_TRUE(fastest.regular) << "light, but no motion without inertia";
}

/// A motion of one formulation, verified or bare.
struct HardMotion {
  HardMotion(const LoadedModel& loaded, std::unique_ptr<Dynamics> with)
      : model(loaded.model),
        dynamics(std::move(with)),
        integrator(std::move(make_integrator("rk4", model)).value()),
        state(model),
        ws(model),
        loads(model) {
    if (!loaded.tau.empty()) loads.tau = Eigen::Map<const VectorX>(loaded.tau.data(), model.nv());
  }

  double energy_J() {
    update_kinematics(model, state, ws);
    return energy(model, state.q().data(), state.v().data(), ws).total_J();
  }

  /// The largest change of the energy.
  double run(double time_s) {
    const double before = energy_J();
    double drift = 0.0;
    for (int i = 0; i < static_cast<int>(std::lround(time_s / 1e-3)); ++i) {
      status = integrator->step(model, loads, 1e-3, *dynamics, state, ws);
      if (!is_done(status)) return drift;
      if (i % 10 == 9) drift = std::max(drift, std::abs(energy_J() - before));
    }
    return drift;
  }

  const Model& model;
  std::unique_ptr<Dynamics> dynamics;
  std::unique_ptr<Integrator> integrator;
  State state;
  Workspace ws;
  Loads loads;
  StepStatus status = StepStatus::kOk;
};

struct HardRun {
  std::string file;
  double time_s;
  double max_drift_J;  // a few times what rk4 with 1 ms leaves, whichever the formulation
};

class HardMotions : public testing::TestWithParam<HardRun> {};

TEST_P(HardMotions, KeepTheirEnergyWithEveryFormulationItself) {
  const LoadedModel file = load_hard(GetParam().file);
  for (const std::string_view name : mechanisms::methods_for(file.model)) {
    HardMotion motion(file, std::move(make_bare_dynamics(name, file.model)).value());

    const double drift_J = motion.run(GetParam().time_s);

    EXPECT_TRUE(is_done(motion.status)) << name << ": " << describe(motion.status);
    EXPECT_LT(drift_J, GetParam().max_drift_J) << name;
  }
}

TEST_P(HardMotions, NeedNoOtherFormulation) {
  const LoadedModel file = load_hard(GetParam().file);
  HardMotion motion(file, std::move(make_dynamics("auto", file.model)).value());

  motion.run(std::min(GetParam().time_s, 1.0));

  EXPECT_TRUE(is_done(motion.status));
  EXPECT_EQ(motion.dynamics->report().fallbacks, 0);
}

INSTANTIATE_TEST_SUITE_P(All, HardMotions,
                         testing::Values(HardRun{"bennett.json", 10.0, 1e-8}, HardRun{"floating8.json", 3.0, 2e-3},
                                         HardRun{"planar6.json", 3.0, 1e-9}, HardRun{"spatial12.json", 3.0, 3e-2},
                                         HardRun{"stages6.json", 0.1, 1e-7}, HardRun{"roof_chains.yaml", 0.1, 1e-8}),
                         [](const auto& of) { return of.param.file.substr(0, of.param.file.find('.')); });

}  // namespace
}  // namespace kinloop
