// Closing joints with a prescribed motion, against the same mechanism cut elsewhere, so that the driven joint belongs
// to the tree: accelerations, motion over time, the drive's force and work, derivatives.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

#include "core/analysis/reactions.hpp"
#include "core/analysis/step_propagator.hpp"
#include "core/constraints/constraint_rank.hpp"
#include "core/constraints/constraints.hpp"
#include "core/derivatives/acceleration_slopes.hpp"
#include "core/dynamics/planar_form.hpp"
#include "core/dynamics/reactions/reaction_sweep.hpp"
#include "core/integrators/energy_account.hpp"
#include "core/kinematics/body_output.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "core/plant/plant.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/relative_difference.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;

int driveable(const JointKind& kind) { return kind.quaternion >= 0 ? kind.quaternion : kind.nv; }

FunctionSpec motion_from(double start, double speed) {
  return {{start, speed, 0.7, -0.3}, 2.0, {{0.0, 0.1}}, {}, {}, 0.0};
}

/// A joint of this kind from the ground to a brick, with a motion along one coordinate; everything else moves.
struct DrivenBrick {
  DrivenBrick(const JointKind& kind, int driven, std::uint64_t seed) {
    Random random(seed);
    in_tree = mechanisms::free_body();
    in_tree.gravity = Vector3(1.0, -2.0, -9.0);
    const JointSpec free = in_tree.joints[0];
    JointSpec joint;
    joint.name = "held";
    joint.type = kind.type;
    joint.predecessor = kGround;
    joint.successor = free.successor;
    joint.frame_pred = random.pose(0.5);
    joint.frame_succ = random.pose(0.3);
    if (kind.type == JointType::kScrew) joint.pitch = 0.17;
    if (kind.type == JointType::kCam) joint.profile = FunctionSpec{{0.5}, 1.0, {{0.05, 0.08}}, {}, {}, 0.0};
    for (int i = 0; i < kind.nq; ++i) joint.initial_q.push_back(random.uniform(-1.0, 1.0));
    if (kind.quaternion >= 0) {
      Eigen::Map<Eigen::Vector4d>(joint.initial_q.data() + kind.quaternion) = random.unit_quaternion();
    }
    for (int i = 0; i < kind.nv; ++i) joint.initial_u.push_back(random.uniform(-1.0, 1.0));
    joint.coordinates.resize(static_cast<std::size_t>(kind.nv));
    const auto c = static_cast<std::size_t>(driven);
    joint.coordinates[c].motion = motion_from(joint.initial_q[c], joint.initial_u[c]);
    in_tree.joints = {joint};

    const Model tree = compiled(in_tree);
    Workspace ws(tree);
    update_kinematics(tree, State(tree), ws);
    const BodyOutput brick = body_output(tree, ws, 1);
    in_loop = in_tree;
    in_loop.joints = {free};
    in_loop.joints[0].initial_q.assign(7, 0.0);
    Eigen::Map<Vector3>(in_loop.joints[0].initial_q.data()) = brick.p;
    quaternion_from_rotation(Mat3(brick.R), in_loop.joints[0].initial_q.data() + 3);
    in_loop.joints[0].initial_u.assign(6, 0.0);
    Eigen::Map<Vector3>(in_loop.joints[0].initial_u.data()) = brick.v_origin;
    Eigen::Map<Vector3>(in_loop.joints[0].initial_u.data() + 3) = brick.R.transpose() * brick.omega;
    joint.initial_q.clear();
    joint.initial_u.clear();
    in_loop.loops = {joint};
  }

  ModelSpec in_tree, in_loop;
};

class DriveOf : public ::testing::TestWithParam<std::pair<JointType, int>> {
 protected:
  const JointKind& kind() const { return joint_kind(GetParam().first); }
  int coordinate() const { return GetParam().second; }
};

std::vector<std::pair<JointType, int>> all_drives() {
  std::vector<std::pair<JointType, int>> all;
  for (const JointKind& kind : joint_kinds()) {
    for (int c = 0; c < driveable(kind); ++c) all.emplace_back(kind.type, c);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Joints, DriveOf, ::testing::ValuesIn(all_drives()), [](const auto& of) {
  return std::string(joint_kind(of.param.first).name) + std::to_string(of.param.second);
});

TEST_P(DriveOf, IsClosedWhereAJointOfTheTreeIs) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const DrivenBrick brick(kind(), coordinate(), seed);
    const Model model = compiled(brick.in_loop);
    Workspace ws(model);

    update_kinematics(model, State(model), ws);
    update_loop_constraints(model, State(model), ws);

    EXPECT_LT(closure_error(ws), 1e-13) << seed;
    EXPECT_LT(closure_rate(ws), 1e-13) << seed;
    EXPECT_EQ(constraint_rows(model), 6 - kind().nv + 1);
  }
}

TEST_P(DriveOf, AcceleratesTheBodyAsAJointOfTheTreeDoes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const DrivenBrick brick(kind(), coordinate(), seed);
    const Model tree = compiled(brick.in_tree);
    const Model loop = compiled(brick.in_loop);
    Random random(seed);
    Loads loads(tree);
    loads.wrenches.push_back({1, random.vector(0.3), random.vector(3.0), random.vector(1.0)});
    Workspace expected(tree);
    ASSERT_EQ(accelerations(tree, State(tree), loads, **make_dynamics("rfda", tree), expected), StepStatus::kOk);
    const BodyOutput there = body_output(tree, expected, 1);
    Loads of_loop(loop);
    of_loop.wrenches = loads.wrenches;

    for (const std::string_view name : mechanisms::methods_for(loop)) {
      Workspace ws(loop);
      ASSERT_EQ(accelerations(loop, State(loop), of_loop, **make_dynamics(name, loop), ws), StepStatus::kOk) << name;

      const BodyOutput here = body_output(loop, ws, 1);
      const double size = 1.0 + there.a_origin.norm() + there.alpha.norm();
      EXPECT_LT((here.a_origin - there.a_origin).norm() + (here.alpha - there.alpha).norm(), 1e-10 * size)
          << name << ' ' << seed;
    }
  }
}

TEST_P(DriveOf, MovesTheBodyAsAJointOfTheTreeDoes) {
  constexpr int kSteps = 500;
  constexpr double kDt_s = 1e-3;
  const DrivenBrick brick(kind(), coordinate(), 4);
  const Model tree = compiled(brick.in_tree);
  const Model loop = compiled(brick.in_loop);
  Simulation expected(tree, "rk4");
  ASSERT_EQ(expected.run(kDt_s, kSteps), StepStatus::kOk);
  update_kinematics(tree, expected.state, expected.ws);
  const BodyOutput there = body_output(tree, expected.ws, 1);

  for (const std::string_view name : {"rcr", "semi_recursive_1", "semi_recursive_2", "partition"}) {
    Simulation simulation(loop, "rk4", name);

    ASSERT_EQ(simulation.run(kDt_s, kSteps), StepStatus::kOk) << name;

    update_kinematics(loop, simulation.state, simulation.ws);
    const BodyOutput here = body_output(loop, simulation.ws, 1);
    EXPECT_LT((here.p - there.p).norm() + (here.R - there.R).norm(), 1e-8) << name;
    EXPECT_LT(simulation.integrator->loops().report().largest_error, 1e-10) << name;
  }
}

TEST_P(DriveOf, NeedsTheForceThatAJointOfTheTreeNeeds) {
  const DrivenBrick brick(kind(), coordinate(), 7);
  const Model tree = compiled(brick.in_tree);
  const Model loop = compiled(brick.in_loop);
  Workspace expected(tree);
  Workspace ws(loop);
  ASSERT_EQ(accelerations(tree, State(tree), Loads(tree), **make_dynamics("rfda", tree), expected), StepStatus::kOk);
  ASSERT_EQ(accelerations(loop, State(loop), Loads(loop), **make_dynamics("rcr", loop), ws), StepStatus::kOk);
  const Reactions there = find_reactions(tree, expected);

  const double force = there.drive[coordinate()];
  for (const ReactionScheme scheme :
       {ReactionScheme::kLeastSquares, ReactionScheme::kInverseInertia, ReactionScheme::kSelfChecking}) {
    const Reactions here = find_reactions(loop, ws, scheme);
    ASSERT_EQ(here.loop_drives.size(), 1u);
    EXPECT_NEAR(here.loop_drives[0], force, 1e-9 * (1.0 + std::abs(force)));
  }
  ReactionSweep sweep(loop);
  ASSERT_TRUE(sweep.update(loop, ws));
  const SpatialVector difference = sweep.loop(0).wrench - there.joints[1].wrench;
  EXPECT_LT(difference.linear.eigen().norm() + difference.angular.eigen().norm(), 1e-9 * (1.0 + std::abs(force)));
}

/// The successor of the loop joint gets a massless twin that the joint, in the tree, moves; a fixed joint closes.
ModelSpec with_joint_in_tree(const ModelSpec& spec, std::size_t l, const std::vector<double>& q) {
  ModelSpec result = spec;
  JointSpec& loop = result.loops[l];
  JointSpec joint = loop;
  BodySpec twin;
  twin.name = "twin";
  joint.successor = twin.name;
  joint.frame_succ = {};
  joint.initial_q = q;
  loop = JointSpec{};
  loop.name = "twin_close";
  loop.predecessor = twin.name;
  loop.successor = spec.loops[l].successor;
  loop.frame_succ = spec.loops[l].frame_succ;
  result.bodies.push_back(twin);
  result.joints.push_back(joint);
  return result;
}

/// A random linkage with a motion along a coordinate of one of its loop joints that it can follow, or nothing.
std::optional<ModelSpec> driven_linkage(std::uint64_t seed, int n, std::size_t& l, std::vector<double>& q) {
  mechanisms::LinkageOptions options;
  options.loops = 1 + static_cast<int>(seed % 4);
  options.tree.driven = seed % 3 == 0;
  options.tree.springs = seed % 2 == 0;
  ModelSpec spec = mechanisms::random_linkage(900 + seed, n, options);
  const Model model = compiled(spec);
  Workspace ws(model);
  update_kinematics(model, State(model), ws);
  update_loop_constraints(model, State(model), ws);
  for (l = 0; l < spec.loops.size(); ++l) {
    JointSpec& loop = spec.loops[l];
    const JointKind& kind = joint_kind(loop.type);
    if (driveable(kind) == 0) continue;
    const auto c = static_cast<std::size_t>(seed % static_cast<std::uint64_t>(driveable(kind)));
    const std::array<double, 7> fitted = closing_coordinates(model.loops()[l], ws);
    q.assign(fitted.begin(), fitted.begin() + kind.nq);
    loop.coordinates.resize(static_cast<std::size_t>(kind.nv));
    loop.coordinates[c].motion = motion_from(fitted[c], 0.2);
    mechanisms::close_velocities(spec);
    const Model driven = compiled(spec);
    const State state(driven);
    Workspace now(driven);
    update_kinematics(driven, state, now);
    update_loop_constraints(driven, state, now);
    const ConstraintRank rank = constraint_rank(driven, now, RankOf::kFreeSpeeds);
    const bool follows = closure_rate(now) < 1e-10 && rank.smallest_kept > 1e-3 && rank.largest_dropped < 1e-11 &&
                         mechanisms::dofs(driven) == mechanisms::dofs(model) - 1;
    if (follows) return spec;
    loop.coordinates.clear();
  }
  return std::nullopt;
}

TEST(LoopDrives, AccelerateRandomLinkagesAsTheJointInTheTreeDoes) {
  int tried = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    std::size_t l = 0;
    std::vector<double> q;
    const std::optional<ModelSpec> spec = driven_linkage(seed, 3 + static_cast<int>(seed % 9), l, q);
    if (!spec) continue;
    ++tried;
    const Model model = compiled(*spec);
    const Model other = compiled(with_joint_in_tree(*spec, l, q));
    State expected_state(other);
    expected_state.v().head(model.nv()) = State(model).v();
    Random random(seed);
    const Loads loads = mechanisms::random_loads(model, random);
    Loads of_other(other);
    of_other.tau.head(model.nv()) = loads.tau;
    of_other.wrenches = loads.wrenches;
    for (ExternalWrench& w : of_other.wrenches) w.body = other.find_body(model.body_name(w.body));
    // The twin moves as the body that it is closed with: its own speeds follow.
    Workspace expected(other);
    const auto reference = std::move(make_dynamics("rcr", other)).value();
    ASSERT_EQ(accelerations(other, expected_state, of_other, *reference, expected), StepStatus::kOk) << seed;
    ConstraintTarget motion(other);
    VectorX step = VectorX::Zero(other.nv());
    velocity_correction(other, expected, motion);
    reference->project(motion, step);
    expected_state.v() += step;
    ASSERT_EQ(accelerations(other, expected_state, of_other, *reference, expected), StepStatus::kOk) << seed;
    const VectorX there = expected.vdot.head(model.nv());

    for (const std::string_view name : mechanisms::methods_for(model)) {
      Workspace ws(model);
      ASSERT_EQ(accelerations(model, State(model), loads, **make_dynamics(name, model), ws), StepStatus::kOk) << name;
      EXPECT_LT(relative_difference(ws.vdot, there), 1e-10 * 10.0) << name << ' ' << seed;
    }
  }
  EXPECT_GT(tried, 40);
}

/// A four-bar whose rocker swings as its loop joint prescribes.
ModelSpec driven_four_bar() {
  ModelSpec spec = mechanisms::four_bar(2.0, 0.0);
  JointSpec& close = spec.loops[0];
  const Model model = compiled(spec);
  Workspace ws(model);
  update_kinematics(model, State(model), ws);
  close.coordinates.resize(1);
  close.coordinates[0].motion = motion_from(closing_coordinates(model.loops()[0], ws)[0], 0.5);
  mechanisms::close_velocities(spec);
  return spec;
}

TEST(LoopDrives, LeaveAMechanismOfOneDofNone) {
  const Model model = compiled(driven_four_bar());

  EXPECT_EQ(mechanisms::dofs(model), 0);
  EXPECT_EQ(model.generic_rank().all, 3);
}

TEST(LoopDrives, KeepThePlanarForm) {
  const Model model = compiled(driven_four_bar());
  ASSERT_TRUE(takes_planar_form("rcr", model));
  Workspace planar(model);
  Workspace spatial(model);
  ASSERT_EQ(accelerations(model, State(model), Loads(model), **make_dynamics("rcr", model), planar), StepStatus::kOk);
  ASSERT_EQ(accelerations(model, State(model), Loads(model), **make_dynamics("semi_recursive_1", model), spatial),
            StepStatus::kOk);

  EXPECT_LT(relative_difference(planar.vdot, spatial.vdot), 1e-12);
}

TEST(LoopDrives, DoTheWorkThatTheEnergyChangesBy) {
  const Model model = compiled(driven_four_bar());
  Simulation simulation(model, "rk4", "auto");
  simulation.integrator->loops().keep_unprojected();
  EnergyAccount account(model);
  account.start(simulation.state);

  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(simulation.step(1e-3), StepStatus::kOk);
    account.add(simulation.state, simulation.loads, *simulation.integrator);
  }

  const EnergyBalance& balance = account.balance();
  EXPECT_GT(std::abs(balance.drives_J), 1e-3);
  EXPECT_LT(std::abs(balance.rest_J), 1e-8 * balance.exchanged_J);
  EXPECT_LT(std::abs(balance.projection_J), 1e-6 * balance.exchanged_J);
}

TEST(LoopDrives, StepWithoutAllocation) {
  const Model model = compiled(driven_four_bar());
  Simulation simulation(model, "semi_implicit_euler", "rcr");
  ASSERT_EQ(simulation.run(1e-3, 3), StepStatus::kOk);

  const AllocationCount allocations;
  const StepStatus status = simulation.run(1e-3, 20);

  EXPECT_EQ(status, StepStatus::kOk);
  EXPECT_EQ(allocations.value(), 0);
}

TEST(LoopDrives, ExactDerivativesOfStepsRefuseDrivesThatTurnTheirAxes) {
  int refused = 0;
  for (const auto& [type, coordinate] : all_drives()) {
    const Model model = compiled(DrivenBrick(joint_kind(type), coordinate, 11).in_loop);
    const auto plant = Plant::make(model, PlantSpec{});
    ASSERT_TRUE(plant);

    const std::string why = StepPropagator::refusal(**plant, 0);

    EXPECT_EQ(why.empty(), model.loops()[0].constant) << joint_kind(type).name << ": " << why;
    refused += why.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 0);
}

TEST(LoopDrives, HaveTheDerivativesThatDifferencesFind) {
  for (const auto& [type, coordinate] : all_drives()) {
    const Model model = compiled(DrivenBrick(joint_kind(type), coordinate, 11).in_loop);
    const State start(model);
    const Loads loads(model);
    const auto dynamics = std::move(make_dynamics("semi_recursive_2", model)).value();
    Workspace ws(model);
    ASSERT_EQ(accelerations(model, start, loads, *dynamics, ws), StepStatus::kOk);
    AccelerationSlopes slopes(model);
    std::vector<char> independent(static_cast<std::size_t>(model.nv()), 0);
    const ConstraintRank rank = constraint_rank(model, ws, RankOf::kFreeSpeeds);
    const int dofs = model.nv() - rank.rank;
    const bool is_refused = !model.loops()[0].constant;  // see ExactDerivativesOfStepsRefuseDrivesThatTurnTheirAxes
    if (dofs == 0 || is_refused) continue;               // the drive moves all there is
    // The dofs of one body, found by pivoting the allowed motions: any set that works will do.
    bool works = false;
    for (unsigned mask = 0; mask < 64u && !works; ++mask) {
      if (std::popcount(mask) != dofs) continue;
      for (int i = 0; i < model.nv(); ++i) independent[static_cast<std::size_t>(i)] = (mask >> i & 1u) != 0 ? 1 : 0;
      slopes.set_independent(independent);
      works =
          slopes.update(start.q().data(), start.v().data(), loads, ws) && slopes.dofs().cwiseAbs().maxCoeff() < 30.0;
    }
    ASSERT_TRUE(works);
    // Along motions that the closed mechanism can make; the speeds change with the place as the constraints ask for.
    for (Eigen::Index d = 0; d < slopes.dofs().cols(); ++d) {
      const VectorX along = slopes.dofs().col(d);
      MatrixX speeds = MatrixX::Zero(model.nv(), 1);
      slopes.dependents(MatrixX(-slopes.loops().rate_by_q() * along), speeds);
      MatrixX da(model.nv(), 1);
      slopes.accelerations(MatrixX(along), speeds, MatrixX::Zero(model.nv(), 1), da);
      const auto at = [&](double s) -> VectorX {
        State state = start;
        const VectorX step = s * along;
        advance_configuration(model, start.q().data(), step.data(), state.q().data());
        state.v() += s * speeds.col(0);
        Workspace there(model);
        EXPECT_EQ(accelerations(model, state, loads, *dynamics, there), StepStatus::kOk);
        return there.vdot;
      };
      const auto slope = [&](double h) -> VectorX { return (at(h) - at(-h)) / (2.0 * h); };
      const VectorX expected = (4.0 * slope(5e-4) - slope(1e-3)) / 3.0;
      EXPECT_LT((da.col(0) - expected).cwiseAbs().maxCoeff(), 1e-6 * (1.0 + expected.cwiseAbs().maxCoeff()))
          << joint_kind(type).name << ' ' << coordinate << ' ' << d;
    }
  }
}

TEST(LoopDrives, AreRefusedWithOtherThingsAlongTheCoordinate) {
  ModelSpec spec = driven_four_bar();
  spec.loops[0].coordinates[0].stiffness = 3.0;

  const Result<Model, CompileErrors> model = build_model(spec);

  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().front().where, "loops[0].coordinates[0]");
}

}  // namespace
}  // namespace kinloop
