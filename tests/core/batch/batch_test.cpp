// Tests that states stepped in lanes end where the single path leads them, whatever stands in the other lanes.
#include "core/batch/batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string_view>

#include "core/base/stepping_mode.hpp"
#include "core/integrators/integrator.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/random.hpp"
#include "tests/support/relative_difference.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;
using mechanisms::LinkageOptions;
using mechanisms::TreeOptions;
using testing::HasSubstr;

constexpr double kAgreement = 1e-13;
constexpr double kDt_s = 1e-3;

std::unique_ptr<Batch> batch_of(const Model& model, std::string_view integrator, int width = 0) {
  BatchSettings settings;
  settings.integrator = integrator;
  settings.dt_s = kDt_s;
  settings.width = width;
  auto made = make_batch(model, settings);
  EXPECT_TRUE(made) << made.error().where << ": " << made.error().what;
  return std::move(made).value();
}

/// Of the single path.
class Single {
 public:
  Single(const Model& model, std::string_view integrator)
      : model_(model),
        dynamics_(std::move(make_dynamics("auto", model)).value()),
        integrator_(std::move(make_integrator(integrator, model)).value()),
        loads_(model),
        ws_(model) {}

  StepStatus step(const VectorX& tau, State& state) {
    loads_.tau = tau;
    return integrator_->step(model_, loads_, kDt_s, *dynamics_, state, ws_);
  }

 private:
  const Model& model_;
  std::unique_ptr<Dynamics> dynamics_;
  std::unique_ptr<Integrator> integrator_;
  Loads loads_;
  Workspace ws_;
};

/// Steps all states at once; says which have advanced.
std::vector<char> step_all(Batch& batch, const std::vector<VectorX>& tau, std::vector<State>& states) {
  std::vector<char> done(states.size(), 0);
  const auto width = static_cast<std::size_t>(batch.width());
  for (std::size_t first = 0; first < states.size(); first += width) {
    std::vector<State*> group;
    std::vector<const double*> forces;
    for (std::size_t i = first; i < std::min(first + width, states.size()); ++i) {
      group.push_back(&states[i]);
      forces.push_back(tau[i].data());
    }
    batch.step(group, forces, {done.data() + first, group.size()});
  }
  return done;
}

struct Course {
  double worst = 0.0;
  int lanes = 0, alone = 0;
};

/// Steps states by both paths, each step from the same states.
Course compared(const Model& model, std::string_view integrator, std::vector<State> states, int steps,
                std::uint64_t seed) {
  const SteppingMode mode;
  Random random(seed);
  std::vector<VectorX> tau;
  for (std::size_t i = 0; i < states.size(); ++i) {
    VectorX& own = tau.emplace_back(VectorX::Zero(model.nv()));
    for (double& t : own) t = random.uniform(-1.0, 1.0);
  }
  const auto batch = batch_of(model, integrator);
  Single single(model, integrator);
  Course course;
  for (int i = 0; i < steps; ++i) {
    std::vector<State> in_lanes = states;
    const std::vector<char> done = step_all(*batch, tau, in_lanes);
    for (std::size_t s = 0; s < states.size(); ++s) {
      const VectorX before = states[s].block();
      if (done[s] == 0) {
        EXPECT_EQ(in_lanes[s].block(), before);
      }
      if (!is_done(single.step(tau[s], states[s]))) {
        EXPECT_EQ(done[s], 0);
        continue;
      }
      (done[s] != 0 ? course.lanes : course.alone) += 1;
      if (done[s] == 0) continue;
      course.worst = std::max({course.worst, relative_difference(in_lanes[s].q(), states[s].q()),
                               relative_difference(in_lanes[s].v(), states[s].v())});
      EXPECT_EQ(in_lanes[s].time_s(), states[s].time_s());
    }
  }
  return course;
}

std::vector<State> random_states(const Model& model, int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<State> states(static_cast<std::size_t>(count), State(model));
  for (State& state : states) mechanisms::randomize(model, random, state);
  return states;
}

/// From the start of the model, at different instants of its own motion.
std::vector<State> passed_states(const Model& model, int count, int apart) {
  Single single(model, "rk4");
  std::vector<State> states;
  State state(model);
  const VectorX none = VectorX::Zero(model.nv());
  for (int i = 0; i < count; ++i) {
    states.push_back(state);
    for (int s = 0; s < apart; ++s) {
      if (!is_done(single.step(none, state))) return states;
    }
  }
  return states;
}

TEST(Batch, TreesStepAsTheSinglePath) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    TreeOptions options;
    options.joint_forces = seed % 2 == 0;
    options.armature = seed % 3 == 0;
    options.driven = seed % 5 == 0;
    options.springs = seed % 7 == 0;
    options.bushings = seed % 11 == 0;
    options.shuffled = seed % 4 == 0;
    const Model model = compiled(mechanisms::random_tree(seed, 2 + static_cast<int>(seed) % 14, options));
    for (const char* integrator : {"semi_implicit_euler", "heun", "rk4"}) {
      const Course course = compared(model, integrator, random_states(model, 5, seed), 2, seed);

      EXPECT_LT(course.worst, kAgreement) << "seed " << seed << ", " << integrator;
      EXPECT_GT(course.lanes, 0) << "seed " << seed << ", " << integrator;
    }
  }
}

/// Rows that depend on each other at closed positions tell different corrections where loops are still open: then both
/// paths end within the tolerance to which loops are closed, which is 1e-11, and not nearer to each other.
double agreement_of(const Model& model) {
  return constraint_rows(model) == model.generic_rank().all ? kAgreement : 1e-10;
}

TEST(Batch, LinkagesStepAsTheSinglePath) {
  int lanes = 0;
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    LinkageOptions options;
    options.loops = 1 + static_cast<int>(seed) % 3;
    options.couplings = static_cast<int>(seed) % 2;
    options.tree.joint_forces = seed % 2 == 0;
    options.tree.driven = seed % 5 == 0;
    const Model model = compiled(mechanisms::random_linkage(seed, 6 + static_cast<int>(seed) % 7, options));
    BatchSettings settings;
    if (!make_batch(model, settings)) {
      ++refused;
      continue;
    }
    for (const char* integrator : {"semi_implicit_euler", "rk4"}) {
      const Course course = compared(model, integrator, passed_states(model, 5, 3), 2, seed);

      EXPECT_LT(course.worst, agreement_of(model)) << "seed " << seed << ", " << integrator;
      lanes += course.lanes;
    }
  }
  EXPECT_GT(lanes, 200);
  EXPECT_LT(refused, 40);
}

TEST(Batch, ModelsOfTheConfigsStepAsTheSinglePath) {
  int treated = 0;
  for (const char* name :
       {"andrews_squeezer", "arm7",          "bricard",          "cam_follower",    "cam_follower_open",
        "cart_pole",        "demo",          "double_pendulum",  "double_wishbone", "excavator",
        "five_bar",         "floating_tree", "flyball_governor", "four_bar",        "knuckle_boom_crane",
        "n_four_bar",       "pendulum",      "quick_return",     "slider_crank",    "stewart_platform"}) {
    const Model model = compiled(mechanisms::config(name));
    for (const char* integrator : {"semi_implicit_euler", "rk4"}) {
      const Course course = compared(model, integrator, passed_states(model, 6, 17), 3, 9);

      // Its loop is overconstrained: the single path shares the rows that depend on each other, which contradict by
      // rounding; lanes meet as many as are independent.
      const double agreement = name == std::string_view("bricard") ? 1e-12 : kAgreement;
      EXPECT_LT(course.worst, agreement) << name << ", " << integrator;
      treated += course.lanes > course.alone ? 1 : 0;
    }
  }
  EXPECT_GE(treated, 38);  // of 40: the squeezer wants new factors, Bricard's linkage is often flat
}

/// Whatever the width and whoever stands beside it, a state ends with the same bits.
TEST(Batch, AStateDoesNotDependOnItsNeighbours) {
  const SteppingMode mode;
  for (const char* name : {"arm7", "four_bar", "stewart_platform", "knuckle_boom_crane"}) {
    const Model model = compiled(mechanisms::config(name));
    const std::vector<State> start = passed_states(model, 9, 7);
    const std::vector<VectorX> tau(start.size(), VectorX::Constant(model.nv(), 0.5));
    const auto four = batch_of(model, "rk4", 4);
    const auto two = batch_of(model, "rk4", 2);
    std::vector<State> together = start;
    std::vector<State> in_pairs = start;
    std::vector<State> turned(start.rbegin(), start.rend());

    const std::vector<char> done = step_all(*four, tau, together);
    step_all(*two, tau, in_pairs);
    step_all(*four, tau, turned);

    for (std::size_t i = 0; i < start.size(); ++i) {
      std::vector<State> alone = {start[i]};
      step_all(*four, {tau[i]}, alone);
      EXPECT_EQ(together[i].block(), alone[0].block()) << name << ", state " << i;
      EXPECT_EQ(together[i].block(), in_pairs[i].block()) << name << ", state " << i;
      EXPECT_EQ(together[i].block(), turned[start.size() - 1 - i].block()) << name << ", state " << i;
    }
    EXPECT_THAT(done, testing::Contains(1)) << name;
  }
}

TEST(Batch, AStateThatFailsLeavesTheOthersAlone) {
  const SteppingMode mode;
  for (const char* name : {"arm7", "five_bar"}) {
    const Model model = compiled(mechanisms::config(name));
    std::vector<State> states = passed_states(model, 4, 7);
    std::vector<State> whole = states;
    const std::vector<VectorX> tau(4, VectorX::Zero(model.nv()));
    const auto batch = batch_of(model, "semi_implicit_euler", 4);
    step_all(*batch, tau, whole);
    states[1].v()[0] = std::numeric_limits<double>::quiet_NaN();
    states[2].v()[1] = 1e9;
    const VectorX before = states[2].block();

    const std::vector<char> done = step_all(*batch, tau, states);

    EXPECT_THAT(done, testing::ElementsAre(1, 0, 0, 1)) << name;
    EXPECT_EQ(states[0].block(), whole[0].block()) << name;
    EXPECT_EQ(states[2].block(), before) << name;
    EXPECT_EQ(states[3].block(), whole[3].block()) << name;
  }
}

/// An arm and a rod in line: there the loop of a crank loses rank. Near it lanes leave the step to the single path.
TEST(Batch, StatesNearASingularPositionAreLeftToTheSinglePath) {
  const SteppingMode mode;
  const Model model = compiled(mechanisms::folded_ladder(6, 0.3));
  const Model folded = compiled(mechanisms::n_four_bar(2, 1e-3, 0.1));
  const auto batch = batch_of(model, "semi_implicit_euler");
  const auto near = batch_of(folded, "semi_implicit_euler");
  std::vector<State> open = {State(model)};
  std::vector<State> flat = {State(folded)};

  EXPECT_THAT(step_all(*batch, {VectorX::Zero(model.nv())}, open), testing::ElementsAre(1));
  EXPECT_THAT(step_all(*near, {VectorX::Zero(folded.nv())}, flat), testing::ElementsAre(0));
}

TEST(Batch, AStepDoesNotAllocate) {
  const SteppingMode mode;
  for (const char* name : {"floating_tree", "knuckle_boom_crane"}) {
    const Model model = compiled(mechanisms::config(name));
    std::vector<State> states = passed_states(model, 2, 5);
    const VectorX tau = VectorX::Zero(model.nv());
    const auto batch = batch_of(model, "rk4");
    const std::array<State*, 2> group = {&states[0], &states[1]};
    const std::array<const double*, 2> forces = {tau.data(), tau.data()};
    std::array<char, 2> done{};

    const AllocationCount allocations;
    batch->step(group, forces, done);

    EXPECT_EQ(allocations.value(), 0) << name;
  }
}

TEST(Batch, WhatHasNoLanesIsSaid) {
  const Model tree = compiled(mechanisms::double_pendulum());
  const Model loop = compiled(mechanisms::four_bar());
  BatchSettings implicit;
  implicit.integrator = "linearly_implicit";
  BatchSettings partition;
  partition.dynamics = "partition";
  BatchSettings drifting;
  drifting.loops.kind = StabilizationKind::kBaumgarte;
  BatchSettings three;
  three.width = 3;

  EXPECT_THAT(make_batch(tree, implicit).error().what, HasSubstr("linearly_implicit has no lanes"));
  EXPECT_THAT(make_batch(loop, partition).error().what, HasSubstr("partition has no lanes"));
  EXPECT_THAT(make_batch(loop, drifting).error().what, HasSubstr("baumgarte has no lanes"));
  EXPECT_THAT(make_batch(tree, three).error().what, HasSubstr("3 states at once"));
}

}  // namespace
}  // namespace kinloop
