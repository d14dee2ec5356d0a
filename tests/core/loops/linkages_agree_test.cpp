// All formulations of closed loops against each other and against the laws they solve, on random mechanisms.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/analysis/reactions.hpp"
#include "core/constraints/constraint_rank.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/relative_difference.hpp"

namespace kinloop {
namespace {

constexpr int kLinkagesAgreeLinkages = 200;

/// The options take turns, so that all combinations occur.
ModelSpec linkages_agree_linkage_number(int i) {
  mechanisms::LinkageOptions options = mechanisms::linkage_options_in_turn(i);
  options.tree.bushings = (i & 16) != 0;
  options.tree.shuffled = (i & 32) != 0;
  return mechanisms::random_linkage(static_cast<std::uint64_t>(5000 + i), 2 + i % 19, options);
}

/// A random linkage in its initial state, under loads.
struct Case {
  explicit Case(int i) : Case(linkages_agree_linkage_number(i), static_cast<std::uint64_t>(i)) {}
  Case(const ModelSpec& spec, std::uint64_t seed) : model(mechanisms::compiled(spec)), state(model), loads(model) {
    Random random(seed);
    loads = mechanisms::random_loads(model, random);
  }

  StepStatus accelerate(std::string_view name, Workspace& ws) const {
    return accelerations(model, state, loads, **make_dynamics(name, model), ws);
  }

  /// How much rounding may grow: the inverse of the weakest constraint's share.
  double conditioning(const Workspace& ws) const {
    const ConstraintRank rank = constraint_rank(model, ws, RankOf::kFreeSpeeds);
    return rank.rank > 0 ? 1.0 / rank.smallest_kept : 1.0;
  }

  Model model;
  State state;
  Loads loads;
};

double largest_of(const Reactions& reactions) {
  double largest = 1.0;
  for (const auto* list : {&reactions.joints, &reactions.loops}) {
    for (const Reaction& r : *list) largest = std::max(largest, r.wrench.angular.eigen().norm());
    for (const Reaction& r : *list) largest = std::max(largest, r.wrench.linear.eigen().norm());
  }
  return largest;
}

TEST(RandomLinkages, StartClosedAndMovable) {
  int loops = 0;
  for (int i = 0; i < kLinkagesAgreeLinkages; ++i) {
    const Case c(i);
    Workspace ws(c.model);

    update_kinematics(c.model, c.state, ws);
    update_loop_constraints(c.model, c.state, ws);

    EXPECT_LT(closure_error(ws), 1e-13) << i;
    EXPECT_LT(closure_rate(ws), 1e-11 * c.conditioning(ws)) << i;
    EXPECT_GE(mechanisms::dofs(c.model), 1) << i;
    loops += static_cast<int>(c.model.loops().size());
  }
  EXPECT_GT(loops, 3 * kLinkagesAgreeLinkages) << "few loops are left out";
}

TEST(Loops, FormulationsAgreeOnRandomLinkages) {
  double worst = 0.0;
  for (int i = 0; i < kLinkagesAgreeLinkages; ++i) {
    const Case c(i);
    Workspace ws(c.model);
    ASSERT_EQ(c.accelerate("semi_recursive_1", ws), StepStatus::kOk) << i;
    const VectorX expected = ws.vdot;
    // Shares above 1e-3 (LinkageOptions) lose at most three of sixteen digits in the constraints, twice that in the
    // accelerations they determine.
    const double tolerance = 3e-12 * std::max(1e1, std::min(1e3, c.conditioning(ws)));

    for (const std::string_view name : mechanisms::methods_for(c.model)) {
      ASSERT_EQ(c.accelerate(name, ws), StepStatus::kOk) << name << ' ' << i;

      const double difference = relative_difference(ws.vdot, expected);
      worst = std::max(worst, difference);
      EXPECT_LT(difference, tolerance) << name << ' ' << i << ' ' << c.conditioning(ws);
    }
  }
  RecordProperty("worst", std::to_string(worst));
}

TEST(Loops, AccelerationsAreThoseTheConstraintsAskFor) {
  for (int i = 0; i < kLinkagesAgreeLinkages; ++i) {
    const Case c(i);
    for (const std::string_view name : mechanisms::methods_for(c.model)) {
      Workspace ws(c.model);
      ASSERT_EQ(c.accelerate(name, ws), StepStatus::kOk) << name << ' ' << i;

      MatrixX C(constraint_rows(c.model), c.model.nv());
      VectorX wanted(C.rows());
      ConstraintTarget motion(c.model);
      constraint_matrix(c.model, ws, C);
      required_acceleration(ws, motion);
      constraint_values(c.model, ws, motion, wanted);
      VectorX free = ws.vdot;
      for (const int s : c.model.driven_speeds()) free[s] = 0.0;

      const double scale = 1.0 + ws.vdot.lpNorm<Eigen::Infinity>();
      EXPECT_LT((C * free - wanted).lpNorm<Eigen::Infinity>(), 1e-11 * c.conditioning(ws) * scale) << name << ' ' << i;
    }
  }
}

TEST(Loops, ReactionsBalanceTheAccelerations) {
  for (int i = 0; i < kLinkagesAgreeLinkages; ++i) {
    const Case c(i);
    for (const std::string_view name : mechanisms::methods_for(c.model)) {
      Workspace ws(c.model);
      ASSERT_EQ(c.accelerate(name, ws), StepStatus::kOk) << name << ' ' << i;

      const Reactions reactions = find_reactions(c.model, ws);

      EXPECT_LT(reactions.imbalance, 1e-11 * c.conditioning(ws) * largest_of(reactions)) << name << ' ' << i;
    }
  }
}

/// The largest difference of components that both call unique; flags that differ count as failures.
double difference_of(const std::vector<Reaction>& a, const std::vector<Reaction>& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].unique, b[k].unique);
    const SpatialVector d = a[k].wrench - b[k].wrench;
    for (int i = 0; i < 3; ++i) {
      const auto c = static_cast<std::size_t>(i);
      if (a[k].unique[c]) largest = std::max(largest, std::abs(d.linear[i]));
      if (a[k].unique[3 + c]) largest = std::max(largest, std::abs(d.angular[i]));
    }
  }
  return largest;
}

TEST(Loops, ReactionSchemesAgreeWhereReactionsAreUnique) {
  for (int i = 0; i < kLinkagesAgreeLinkages; ++i) {
    const Case c(i);
    Workspace ws(c.model);
    ASSERT_EQ(c.accelerate("semi_recursive_2", ws), StepStatus::kOk) << i;

    const Reactions first = find_reactions(c.model, ws, ReactionScheme::kLeastSquares);
    const Reactions second = find_reactions(c.model, ws, ReactionScheme::kInverseInertia);
    const Reactions third = find_reactions(c.model, ws, ReactionScheme::kSelfChecking);

    // (35) forms B M^-1 B^T and so squares the conditioning of the constraints.
    const double tolerance = 1e-11 * c.conditioning(ws) * largest_of(first);
    EXPECT_LT(difference_of(first.loops, second.loops), c.conditioning(ws) * tolerance) << i;
    EXPECT_LT(difference_of(first.loops, third.loops), tolerance) << i;
    EXPECT_LT(difference_of(first.joints, second.joints), c.conditioning(ws) * tolerance) << i;
    EXPECT_LT(difference_of(first.joints, third.joints), tolerance) << i;
    EXPECT_LT(second.imbalance, c.conditioning(ws) * tolerance) << i;
    EXPECT_LT(third.imbalance, tolerance) << i;
    EXPECT_LT(third.zero_block, tolerance) << i;
  }
}

// Accelerations that forces do not make: what no reaction can be is what the zero block of (37) says.
TEST(Loops, TheZeroBlockOfTheSelfCheckingSchemeShowsWrongAccelerations) {
  const Case c(mechanisms::four_bar(), 1);
  Workspace ws(c.model);
  ASSERT_EQ(c.accelerate("semi_recursive_2", ws), StepStatus::kOk);
  ws.A[1].angular = ws.A[1].angular + Vec3(0.0, 0.0, 0.5);

  const Reactions reactions = find_reactions(c.model, ws, ReactionScheme::kSelfChecking);

  EXPECT_GT(reactions.zero_block, 1e-3);
}

TEST(Loops, FormulationsAgreeOnNamedLinkages) {
  const std::vector<ModelSpec> specs = {mechanisms::four_bar(),
                                        mechanisms::n_four_bar(1, 1.2, 0.5),
                                        mechanisms::n_four_bar(20, 0.8, -1.0),
                                        mechanisms::four_bar_chain(5),
                                        mechanisms::lattice(2, 2),
                                        mechanisms::lattice(4, 5),
                                        mechanisms::config("stewart_platform"),
                                        mechanisms::config("bricard"),
                                        mechanisms::config("andrews_squeezer"),
                                        mechanisms::config("double_wishbone"),
                                        mechanisms::config("excavator"),
                                        mechanisms::config("cam_follower")};
  for (const ModelSpec& spec : specs) {
    const Case c(spec, 1);
    Workspace ws(c.model);
    ASSERT_EQ(c.accelerate("semi_recursive_1", ws), StepStatus::kOk) << spec.name;
    const VectorX expected = ws.vdot;
    for (const std::string_view name : mechanisms::methods_for(c.model)) {
      ASSERT_EQ(c.accelerate(name, ws), StepStatus::kOk) << spec.name << ' ' << name;

      EXPECT_LT(relative_difference(ws.vdot, expected), 1e-9) << spec.name << ' ' << name;
    }
  }
}

// A massless body at the end of the file's tree moves no mass of its own there; in the closed loop nothing is missing.
// Methods that build the inertia of the open tree may say so, but must not answer wrongly.
TEST(Loops, AMasslessEndIsTheLimitOfALightOne) {
  ModelSpec spec = mechanisms::four_bar();
  spec.bodies[2].inertia *= 1e-10;
  spec.bodies[2].mass *= 1e-10;
  const Case light(spec, 1);
  spec.bodies[2].inertia.setZero();
  spec.bodies[2].mass = 0.0;
  const Case massless(spec, 1);
  Workspace expected(light.model);
  Workspace ws(massless.model);
  ASSERT_EQ(light.accelerate("semi_recursive_1", expected), StepStatus::kOk);

  int solved = 0;
  for (const std::string_view name : mechanisms::methods_for(massless.model)) {
    const StepStatus status = massless.accelerate(name, ws);
    if (status != StepStatus::kOk) {
      EXPECT_EQ(status, StepStatus::kSingularMass) << name;
      continue;
    }
    ++solved;
    EXPECT_LT(relative_difference(ws.vdot, expected.vdot), 1e-6) << name;
  }
  EXPECT_GE(solved, 1);
}

}  // namespace
}  // namespace kinloop
