// The example mechanisms of configs/models against the vectors and trajectories of the same mechanisms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/constraints/compile.hpp"
#include "core/kinematics/body_output.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "services/base/diagnostics.hpp"
#include "services/cli/check_report.hpp"
#include "services/cli/vector_comparison.hpp"
#include "services/files/model_file.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/model_text.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop {
namespace {

// The files state the same numbers in different words: only rounding may differ.
constexpr double kSameNumber = 1e-12;
// States of the vectors are closed to about this, and speeds reach 100 rad/s.
constexpr double kSameMotion = 1e-9;

struct ConfigAndVectors {
  std::string config;
  std::string vectors;
};
void PrintTo(const ConfigAndVectors& pair, std::ostream* out) { *out << pair.config; }

ModelSpec config_spec(const std::string& name) {
  auto spec = read_model_file(test::config_path(name));
  if (!spec) std::fputs(to_text(spec.error()).c_str(), stderr);
  return std::move(spec).value();
}

/// Without springs along the joints: the vectors count the torque of Andrews' motor among their loads.
Model model_without_motor(const std::string& name) {
  ModelSpec spec = config_spec(name);
  for (JointSpec& joint : spec.joints) joint.coordinates.clear();
  return compile(spec).value();
}

State state_of(const Model& model, const VectorCase& at) {
  State state(model);
  state.q() = Eigen::Map<const VectorX>(at.q.data(), model.nq());
  state.v() = Eigen::Map<const VectorX>(at.u.data(), model.nv());
  return state;
}

class ConfigAgainstVectors : public testing::TestWithParam<ConfigAndVectors> {};

TEST_P(ConfigAgainstVectors, HasTheSameBodiesAndJoints) {
  const Model config = model_without_motor(GetParam().config);
  const LoadedModel file = test::load_vectors(GetParam().vectors);
  const ModelSpec& mine = config.spec();
  const ModelSpec& theirs = file.model.spec();

  ASSERT_EQ(mine.bodies.size(), theirs.bodies.size());
  for (std::size_t i = 0; i < mine.bodies.size(); ++i) {
    const BodySpec& body = mine.bodies[i];
    const BodySpec& other = theirs.bodies[i];
    EXPECT_EQ(body.name, other.name);
    EXPECT_NEAR(body.mass, other.mass, kSameNumber * other.mass) << body.name;
    EXPECT_LT((body.com - other.com).norm(), kSameNumber) << body.name;
    EXPECT_LT((body.inertia - other.inertia).norm(), kSameNumber * other.inertia.norm()) << body.name;
  }
  ASSERT_EQ(mine.joints.size(), theirs.joints.size());
  for (std::size_t i = 0; i < mine.joints.size(); ++i) {
    EXPECT_EQ(mine.joints[i].name, theirs.joints[i].name);
    EXPECT_EQ(mine.joints[i].type, theirs.joints[i].type) << mine.joints[i].name;
  }
  EXPECT_EQ(mine.loops.size(), theirs.loops.size());
  EXPECT_EQ(mine.gravity, theirs.gravity);
}

TEST_P(ConfigAgainstVectors, HasTheSameRankAndFreedoms) {
  const Model config = model_without_motor(GetParam().config);
  const LoadedModel file = test::load_vectors(GetParam().vectors);
  const ExpectedValues& expected = file.cases.front().expected;
  const int tree_rows = 6 * (config.body_count() - 1) - config.nv();

  const cli::CheckReport report = cli::check_model(config);

  EXPECT_EQ(report.mobility, expected.dof);
  EXPECT_EQ(report.rank.rank + tree_rows, expected.rank);
  EXPECT_EQ(report.constraint_rows + tree_rows, expected.constraint_rows);
}

TEST_P(ConfigAgainstVectors, PutsTheBodiesWhereTheVectorsHaveThem) {
  const Model config = model_without_motor(GetParam().config);
  const LoadedModel file = test::load_vectors(GetParam().vectors);
  Workspace ws(config);

  for (const VectorCase& at : file.cases) {
    const State state = state_of(config, at);
    update_kinematics(config, state, ws);
    update_loop_constraints(config, state, ws);

    EXPECT_LT(closure_error(ws), kSameMotion) << at.kind;
    const double speed = std::max(1.0, state.v().cwiseAbs().maxCoeff());
    EXPECT_LT(closure_rate(ws), kSameMotion * speed) << at.kind;
    for (const ExpectedBody& body : at.expected.bodies) {
      const BodyOutput actual = body_output(config, ws, config.find_body(body.name));
      EXPECT_LT((actual.p - body.p).norm(), kSameMotion) << at.kind << ' ' << body.name;
      EXPECT_LT((actual.R - body.R).norm(), kSameMotion) << at.kind << ' ' << body.name;
      EXPECT_LT((actual.omega - body.omega).norm(), kSameMotion * speed) << at.kind << ' ' << body.name;
      EXPECT_LT((actual.v_origin - body.v_origin).norm(), kSameMotion * speed) << at.kind << ' ' << body.name;
    }
  }
}

TEST_P(ConfigAgainstVectors, AcceleratesAsTheVectorsDo) {
  LoadedModel file = test::load_vectors(GetParam().vectors);
  file.model = model_without_motor(GetParam().config);
  const double tolerance = GetParam().vectors == "andrews" ? 1e-8 : 1e-9;  // what the vectors suggest

  int evaluated = 0;
  for (const DynamicsKind& kind : dynamics_kinds()) {
    const auto dynamics = make_dynamics(kind.name, file.model);
    if (!dynamics) continue;
    ++evaluated;

    const VectorComparison comparison = compare_with_vectors(file, **dynamics);

    ASSERT_EQ(comparison.status, StepStatus::kOk) << kind.name;
    ASSERT_TRUE(comparison.errors.udot && comparison.errors.energy) << kind.name;
    EXPECT_LT(*comparison.errors.udot, tolerance) << kind.name;
    EXPECT_LT(*comparison.errors.energy, tolerance) << kind.name;
  }
  EXPECT_GE(evaluated, 4) << "all methods that know loops";
}

INSTANTIATE_TEST_SUITE_P(
    All, ConfigAgainstVectors,
    testing::Values(ConfigAndVectors{"four_bar", "fourbar"}, ConfigAndVectors{"five_bar", "fivebar"},
                    ConfigAndVectors{"quick_return", "quick_return"}, ConfigAndVectors{"slider_crank", "slider_crank"},
                    ConfigAndVectors{"n_four_bar", "nfourbar5"}, ConfigAndVectors{"andrews_squeezer", "andrews"},
                    ConfigAndVectors{"bricard", "bricard"}, ConfigAndVectors{"flyball_governor", "governor_spring"}),
    [](const auto& of) { return of.param.config; });

class ConfigAgainstTrajectory : public testing::TestWithParam<ConfigAndVectors> {};

TEST_P(ConfigAgainstTrajectory, StartsWhereTheTrajectoryStarts) {
  const Model config = compile(config_spec(GetParam().config)).value();
  const auto trajectory = load_model(test::trajectory_path(GetParam().vectors + ".json"));
  ASSERT_TRUE(trajectory);

  EXPECT_LT((config.initial_q() - trajectory->model.initial_q()).cwiseAbs().maxCoeff(), kSameNumber);
  EXPECT_LT((config.initial_v() - trajectory->model.initial_v()).cwiseAbs().maxCoeff(), kSameNumber);
}

INSTANTIATE_TEST_SUITE_P(All, ConfigAgainstTrajectory,
                         testing::Values(ConfigAndVectors{"double_pendulum", "double_pendulum"},
                                         ConfigAndVectors{"five_bar", "fivebar"},
                                         ConfigAndVectors{"n_four_bar", "nfourbar5"},
                                         ConfigAndVectors{"andrews_squeezer", "andrews"}),
                         [](const auto& of) { return of.param.config; });

}  // namespace
}  // namespace kinloop
