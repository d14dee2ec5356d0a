// Tests what steps of closed mechanisms promise: no allocation, the same bits again, all or nothing.
#include <gtest/gtest.h>

#include <cmath>

#include "core/kinematics/loop_constraints.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

ModelSpec everything(std::uint64_t seed, int n) {
  mechanisms::LinkageOptions options;
  options.tree = {
      .joint_forces = true, .armature = true, .driven = true, .springs = true, .bushings = true, .shuffled = true};
  options.loops = 4;
  options.couplings = 1;
  options.least_share = 3e-2;
  return mechanisms::random_linkage(seed, n, options);
}

std::vector<ModelSpec> loop_contract_samples() {
  return {everything(3, 12),
          mechanisms::four_bar(),
          mechanisms::four_bar_chain(3),
          mechanisms::lattice(2, 3),
          mechanisms::n_four_bar(5, 0.002, -1.0),  // passes the flat position at once
          mechanisms::config("bricard"),
          mechanisms::config("stewart_platform")};
}

class LoopContract : public ::testing::TestWithParam<IntegratorKind> {};

TEST_P(LoopContract, StepsDoNotAllocate) {
  for (const ModelSpec& spec : loop_contract_samples()) {
    const Model model = mechanisms::compiled(spec);
    for (const std::string_view name : mechanisms::methods_for(model)) {
      Simulation simulation(model, GetParam().name, name);

      const AllocationCount allocations;
      bool done = true;
      for (int i = 0; i < 10; ++i) done = is_done(simulation.step(1e-3)) && done;

      EXPECT_TRUE(done) << spec.name << ' ' << name;
      EXPECT_EQ(allocations.value(), 0) << spec.name << ' ' << name;
    }
  }
}

TEST_P(LoopContract, FreshObjectsContinueWithTheSameBits) {
  for (const ModelSpec& spec : loop_contract_samples()) {
    const Model model = mechanisms::compiled(spec);
    for (const std::string_view name : mechanisms::methods_for(model)) {
      Simulation first(model, GetParam().name, name);
      for (int i = 0; i < 6; ++i) ASSERT_TRUE(is_done(first.step(1e-3))) << spec.name << ' ' << name;

      Simulation second(model, GetParam().name, name);
      second.state = first.state;
      for (int i = 0; i < 20; ++i) ASSERT_EQ(first.step(1e-3), second.step(1e-3)) << spec.name << ' ' << name;

      EXPECT_EQ(first.state.block(), second.state.block()) << spec.name << ' ' << name;
    }
  }
}

TEST_P(LoopContract, StepThatLeavesLoopsOpenLeavesTheStateAsItWas) {
  const Model model = mechanisms::compiled(mechanisms::four_bar());
  for (const std::string_view name : mechanisms::methods_for(model)) {
    Simulation simulation(model, GetParam().name, name);
    ASSERT_EQ(simulation.run(1e-3, 5), StepStatus::kOk);
    simulation.integrator->loops().settings().kind = StabilizationKind::kNone;
    simulation.integrator->loops().settings().max_open = 1e-6;
    const VectorX before = simulation.state.block();

    const StepStatus status = simulation.step(0.2);  // far too long for any method

    EXPECT_EQ(status, StepStatus::kLoopsOpen) << name;
    EXPECT_EQ(simulation.state.block(), before) << name;
  }
}

TEST_P(LoopContract, StepThatOverflowsLeavesTheStateAsItWas) {
  const Model model = mechanisms::compiled(mechanisms::four_bar());
  for (const std::string_view name : mechanisms::methods_for(model)) {
    Simulation simulation(model, GetParam().name, name);
    simulation.state.v().setConstant(1e200);
    const VectorX before = simulation.state.block();

    const StepStatus status = simulation.step(1e-3);

    EXPECT_FALSE(is_done(status)) << name;
    EXPECT_EQ(simulation.state.block(), before) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LoopContract, ::testing::ValuesIn(integrator_kinds().begin(), integrator_kinds().end()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(LoopContract, CorrectionMeetsTheWantedMotion) {
  for (const ModelSpec& spec : loop_contract_samples()) {
    const Model model = mechanisms::compiled(spec);
    const State state(model);
    for (const std::string_view name : mechanisms::methods_for(model)) {
      const auto dynamics = std::move(make_dynamics(name, model)).value();
      Workspace ws(model);
      ASSERT_EQ(accelerations(model, state, Loads(model), *dynamics, ws), StepStatus::kOk) << spec.name << ' ' << name;
      MatrixX C(constraint_rows(model), model.nv());
      constraint_matrix(model, ws, C);
      VectorX v = VectorX::Ones(model.nv());  // any motion: what it does to the loop constraints can be done
      for (const int i : model.driven_speeds()) v[i] = 0.0;
      const VectorX wanted = C * v;
      ConstraintTarget motion(model);
      // Rows G are orthonormal in the metric of the length, so that a motion with given row values is their sum.
      Eigen::Index row = 0;
      for (std::size_t i = 0; i < ws.loop_constraint.size(); ++i) {
        SpatialVector sum;
        for (int r = 0; r < ws.loop_constraint[i].rows(); ++r) {
          const SpatialVector G = ws.loop_constraint[i].G(r);
          const double value = wanted[row++];
          sum = sum + SpatialVector{value * G.angular, (value * model.length_m() * model.length_m()) * G.linear};
        }
        motion.loop[i] = sum;
      }
      motion.coupling = wanted.tail(motion.coupling.size());
      VectorX step(model.nv());

      dynamics->project(motion, step);

      EXPECT_LT((C * step - wanted).lpNorm<Eigen::Infinity>(), 1e-9 * (1.0 + wanted.norm()))
          << spec.name << ' ' << name;
    }
  }
}

TEST(LoopContract, CorrectionOfAJointThatBlocksNothingIsZero) {
  ModelSpec spec = mechanisms::double_pendulum();
  JointSpec free;
  free.name = "free";
  free.type = JointType::kFree;
  free.predecessor = kGround;
  free.successor = "lower";
  spec.loops = {free};
  const Model model = mechanisms::compiled(spec);
  for (const std::string_view name : mechanisms::methods_for(model)) {
    const auto dynamics = std::move(make_dynamics(name, model)).value();
    Workspace ws(model);
    ASSERT_EQ(accelerations(model, State(model), Loads(model), *dynamics, ws), StepStatus::kOk) << name;
    VectorX step = VectorX::Ones(model.nv());

    dynamics->project(ConstraintTarget(model), step);

    EXPECT_EQ(step, VectorX::Zero(model.nv())) << name;
  }
}

}  // namespace
}  // namespace kinloop
