// Tests what every integrator promises: no allocation, all or nothing, the same bits from the same state, exact time.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/integrators/stage.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/simulation.hpp"
#include "tests/support/slides.hpp"

namespace kinloop {
namespace {

constexpr double kContractDt_s = 1e-3;

class IntegratorContract : public ::testing::TestWithParam<IntegratorKind> {
 protected:
  static std::string_view method() { return GetParam().name; }

  /// Every joint type, springs, bushings, rotors and driven joints.
  static ModelSpec everything(int n) {
    return mechanisms::random_tree(
        17, n,
        {.joint_forces = true, .armature = true, .driven = true, .springs = true, .bushings = true, .shuffled = true});
  }
};

TEST_P(IntegratorContract, StepsDoNotAllocate) {
  for (const ModelSpec& spec : {mechanisms::double_pendulum(), mechanisms::free_body(), mechanisms::spherical_top(),
                                everything(22), everything(88)}) {
    const Model model = mechanisms::compiled(spec);
    Simulation simulation(model, method());

    const AllocationCount allocations;
    const StepStatus status = simulation.run(1e-4, 6);  // a multi-step method has started by then

    EXPECT_EQ(status, StepStatus::kOk) << spec.name;
    EXPECT_EQ(allocations.value(), 0) << spec.name;
  }
}

TEST_P(IntegratorContract, FailedStepLeavesTheStateAsItWas) {
  const Model model = mechanisms::compiled(everything(15));
  Simulation simulation(model, method());
  ASSERT_EQ(simulation.run(kContractDt_s, 5), StepStatus::kOk);
  const VectorX before = simulation.state.block();

  simulation.loads.tau.setConstant(std::numeric_limits<double>::infinity());
  const StepStatus status = simulation.step(kContractDt_s);

  EXPECT_EQ(status, StepStatus::kDiverged);
  EXPECT_EQ(simulation.state.block(), before);
}

TEST_P(IntegratorContract, StepThatOverflowsLeavesTheStateAsItWas) {
  const Model model = mechanisms::compiled(mechanisms::double_pendulum());
  Simulation simulation(model, method());
  simulation.state.v().setConstant(1e200);
  const VectorX before = simulation.state.block();

  const StepStatus status = simulation.step(kContractDt_s);

  EXPECT_EQ(status, StepStatus::kDiverged);
  EXPECT_EQ(simulation.state.block(), before);
}

// Two masses in a row on springs, with 30 rad a step or more: the recursion loses their inertia beside such distances.
TEST_P(IntegratorContract, ABlowUpIsCalledOneBeforeItsNumbersOverflow) {
  ModelSpec spec = mechanisms::masses_in_a_row(1.0, 1e-3);
  for (JointSpec& joint : spec.joints) joint.coordinates[0].stiffness = 1e6;
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, method());

  const StepStatus status = simulation.run(kContractDt_s, 2000);

  const bool is_implicit = method() == "linearly_implicit";
  EXPECT_EQ(status, is_implicit ? StepStatus::kOk : StepStatus::kDiverged);
  EXPECT_LT(simulation.state.v().lpNorm<Eigen::Infinity>(), is_implicit ? 10.0 : kMaxSpeed);
}

TEST_P(IntegratorContract, SingularMassIsReported) {
  ModelSpec spec = mechanisms::double_pendulum();
  spec.bodies[1].com = Vector3::Zero();  // a point mass at its own hinge: turning it moves no inertia
  spec.bodies[1].inertia = Matrix3::Zero();
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, method());
  const VectorX before = simulation.state.block();

  const StepStatus status = simulation.step(kContractDt_s);

  EXPECT_EQ(status, StepStatus::kSingularMass);
  EXPECT_EQ(simulation.state.block(), before);
}

TEST_P(IntegratorContract, RestoredStateContinuesWithTheSameBits) {
  const Model model = mechanisms::compiled(everything(15));
  Simulation first(model, method());
  ASSERT_EQ(first.run(kContractDt_s, 7), StepStatus::kOk);
  const VectorX saved = first.state.block();
  ASSERT_EQ(first.run(kContractDt_s, 10), StepStatus::kOk);

  Simulation second(model, method());
  ASSERT_EQ(second.run(kContractDt_s, 3), StepStatus::kOk);  // whatever it did before must not matter
  second.state.block() = saved;
  ASSERT_EQ(second.run(kContractDt_s, 10), StepStatus::kOk);

  EXPECT_EQ(first.state.block(), second.state.block());
}

TEST_P(IntegratorContract, DrivenCoordinatesFollowTheirMotionExactly) {
  const Model model = mechanisms::compiled(everything(15));
  Simulation simulation(model, method());

  ASSERT_EQ(simulation.run(kContractDt_s, 20), StepStatus::kOk);

  ASSERT_FALSE(model.driven_speeds().empty());
  for (const int i : model.driven_speeds()) {
    const CoordinateConstants& c = model.coordinate(i);
    const FunctionValue wanted = model.motions()[static_cast<std::size_t>(c.motion)](simulation.state.time_s());
    EXPECT_EQ(simulation.state.q()[c.q], wanted.f);
    EXPECT_EQ(simulation.state.v()[i], wanted.d1);
  }
}

TEST_P(IntegratorContract, QuaternionsKeepUnitLength) {
  const Model model = mechanisms::compiled(mechanisms::free_body());
  Simulation simulation(model, method());

  ASSERT_EQ(simulation.run(0.01, 10000), StepStatus::kOk);

  EXPECT_NEAR(simulation.state.q().tail<4>().norm(), 1.0, 1e-15);
}

INSTANTIATE_TEST_SUITE_P(All, IntegratorContract,
                         ::testing::ValuesIn(integrator_kinds().begin(), integrator_kinds().end()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(IntegratorTable, AnErrorListsTheKnownNames) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());

  const auto made = make_integrator("rk5", model);

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().where, "rk5");
  for (const IntegratorKind& kind : integrator_kinds()) {
    EXPECT_NE(made.error().what.find(kind.name), std::string::npos) << kind.name;
  }
}

TEST(IntegratorTime, DoesNotDriftOverTenMillionSteps) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  Simulation simulation(model, "rk4");
  State& state = simulation.state;
  Trial trial(model);
  const StepEnd with{simulation.integrator->loops(), *simulation.dynamics, simulation.ws};

  for (int i = 0; i < 10'000'000; ++i) ASSERT_EQ(accept_step(model, 1e-3, with, trial, state), StepStatus::kOk);

  EXPECT_EQ(state.time_s(), 1e4);
}

}  // namespace
}  // namespace kinloop
