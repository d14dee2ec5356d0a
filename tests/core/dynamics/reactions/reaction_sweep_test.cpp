// The recursion for reactions against the three schemes of 001, which share none of its code, and against laws.
#include "core/dynamics/reactions/reaction_sweep.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/analysis/reactions.hpp"
#include "core/constraints/constraint_rank.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

/// A mechanism in its initial state, accelerated under loads.
struct ReactionCase {
  explicit ReactionCase(const ModelSpec& spec, std::uint64_t seed = 1, double loads_scale = 1.0)
      : model(mechanisms::compiled(spec)), state(model), loads(model), ws(model) {
    Random random(seed);
    loads = mechanisms::random_loads(model, random);
    loads.tau *= loads_scale;
    if (loads_scale != 1.0) loads.wrenches.clear();
    status = accelerations(model, state, loads, **make_dynamics("auto", model), ws);
  }

  double conditioning() const {
    const ConstraintRank rank = constraint_rank(model, ws, RankOf::kFreeSpeeds);
    return rank.rank > 0 ? 1.0 / rank.smallest_kept : 1.0;
  }

  Model model;
  State state;
  Loads loads;
  Workspace ws;
  StepStatus status = StepStatus::kOk;
};

struct Agreement {
  double difference = 0.0;  // of unique components, against the largest
  int compared = 0;
  int flags = 0;  // that differ
};

void compare(const Reaction& a, const Reaction& b, double force_N, double moment_Nm, Agreement& out) {
  for (int i = 0; i < 6; ++i) {
    const auto c = static_cast<std::size_t>(i);
    if (a.unique[c] != b.unique[c]) ++out.flags;
    if (!a.unique[c] || !b.unique[c]) continue;
    ++out.compared;
    const double scale = i < 3 ? force_N : moment_Nm;
    out.difference = std::max(out.difference, std::abs(a.component(i) - b.component(i)) / scale);
  }
}

Agreement agreement(const ReactionCase& c, const ReactionSweep& sweep, ReactionScheme scheme) {
  const Reactions expected = find_reactions(c.model, c.ws, scheme);
  double force_N = 1e-300;
  double moment_Nm = 1e-300;
  const auto measure = [&](const Reaction& r) {
    for (int i = 0; i < 6; ++i) {
      double& largest = i < 3 ? force_N : moment_Nm;
      if (r.unique[static_cast<std::size_t>(i)]) largest = std::max(largest, std::abs(r.component(i)));
    }
  };
  for (const Reaction& r : expected.joints) measure(r);
  for (const Reaction& r : expected.loops) measure(r);
  moment_Nm = std::max(moment_Nm, force_N * c.model.length_m());
  Agreement out;
  for (int k = 1; k < c.model.body_count(); ++k) {
    compare(sweep.joint(k), expected.joints[static_cast<std::size_t>(k)], force_N, moment_Nm, out);
  }
  for (std::size_t l = 0; l < expected.loops.size(); ++l) {
    compare(sweep.loop(static_cast<int>(l)), expected.loops[l], force_N, moment_Nm, out);
  }
  return out;
}

/// The sweep tells what can be told, and that is what least squares over all equations find.
void expect_least_squares(const ReactionCase& c, const std::string& name) {
  ASSERT_EQ(c.status, StepStatus::kOk) << name;
  ReactionSweep sweep(c.model);

  ASSERT_TRUE(sweep.update(c.model, c.ws)) << name;

  const Agreement found = agreement(c, sweep, ReactionScheme::kLeastSquares);
  EXPECT_EQ(found.flags, 0) << name;
  EXPECT_LT(found.difference, 1e-12 * c.conditioning() * 10.0) << name;
  EXPECT_GT(found.compared, 0) << name;
}

ModelSpec reaction_linkage(int i) {
  mechanisms::LinkageOptions options = mechanisms::linkage_options_in_turn(i);
  options.tree.shuffled = (i & 16) != 0;
  return mechanisms::random_linkage(static_cast<std::uint64_t>(7000 + i), 2 + i % 19, options);
}

TEST(ReactionSweep, IsInverseDynamicsOnTrees) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    mechanisms::TreeOptions options;
    options.joint_forces = options.armature = options.driven = options.shuffled = true;
    const ReactionCase c(mechanisms::random_tree(seed, 20, options), seed);
    ASSERT_EQ(c.status, StepStatus::kOk);
    std::vector<SpatialVector> expected(static_cast<std::size_t>(c.model.body_count()));
    joint_reactions(c.model, c.ws, {}, expected);
    ReactionSweep sweep(c.model);

    ASSERT_TRUE(sweep.update(c.model, c.ws));

    for (int k = 1; k < c.model.body_count(); ++k) {
      const SpatialVector& e = expected[static_cast<std::size_t>(k)];
      const SpatialVector d = sweep.joint(k).wrench - e;
      EXPECT_LT(d.linear.eigen().norm(), 1e-12 * (1.0 + e.linear.eigen().norm()));
      EXPECT_LT(d.angular.eigen().norm(), 1e-11 * (1.0 + e.angular.eigen().norm()));
      EXPECT_EQ(sweep.joint(k).unique, Reaction().unique);
    }
  }
}

TEST(ReactionSweep, AgreesWithTheThreeSchemesOnRandomLinkages) {
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    const ReactionCase c(reaction_linkage(i), static_cast<std::uint64_t>(i));
    ASSERT_EQ(c.status, StepStatus::kOk) << i;
    ReactionSweep sweep(c.model);
    const double tolerance = 1e-11 * c.conditioning();

    ASSERT_TRUE(sweep.update(c.model, c.ws)) << i;

    for (const ReactionScheme scheme :
         {ReactionScheme::kLeastSquares, ReactionScheme::kSelfChecking, ReactionScheme::kInverseInertia}) {
      const Agreement found = agreement(c, sweep, scheme);
      // (35) squares the conditioning of the constraints.
      const double squared = scheme == ReactionScheme::kInverseInertia ? c.conditioning() : 1.0;
      EXPECT_EQ(found.flags, 0) << i;
      EXPECT_LT(found.difference, tolerance * squared) << i;
      compared += found.compared;
    }
  }
  EXPECT_GT(compared, 10000);
}

TEST(ReactionSweep, AgreesOnNamedLinkages) {
  const std::vector<ModelSpec> specs = {mechanisms::four_bar(),
                                        mechanisms::n_four_bar(1, 1.2, 0.5),
                                        mechanisms::n_four_bar(20, 0.8, -1.0),
                                        mechanisms::four_bar_chain(5),
                                        mechanisms::ladder(6, 2, 0.3),
                                        mechanisms::folded_ladder(8, 1e-3),
                                        mechanisms::lattice(2, 2),
                                        mechanisms::lattice(4, 5),
                                        mechanisms::config("stewart_platform"),
                                        mechanisms::config("bricard"),
                                        mechanisms::config("andrews_squeezer"),
                                        mechanisms::config("double_wishbone"),
                                        mechanisms::config("excavator"),
                                        mechanisms::config("cam_follower")};
  for (const ModelSpec& spec : specs) {
    expect_least_squares(ReactionCase(spec), spec.name);
  }
}

/// Hinges only: no coordinate is a length.
ModelSpec of_other_size(ModelSpec spec, double scale) {
  for (BodySpec& body : spec.bodies) {
    body.com *= scale;
    body.inertia *= scale * scale;
  }
  for (std::vector<JointSpec>* joints : {&spec.joints, &spec.loops}) {
    for (JointSpec& joint : *joints) {
      joint.frame_pred.p *= scale;
      joint.frame_succ.p *= scale;
    }
  }
  return spec;
}

// Self-stresses are judged by the size of their own loop.
TEST(ReactionSweep, FindsTheSameComponentsUniqueAtAnySize) {
  for (const ModelSpec& spec :
       {mechanisms::four_bar(), mechanisms::n_four_bar(3, 0.8, 0.5), mechanisms::four_bar_chain(3),
        mechanisms::lattice(2, 2), mechanisms::config("bricard")}) {
    const ReactionCase c(spec, 1, 0.0);
    ReactionSweep sweep(c.model);
    ASSERT_TRUE(sweep.update(c.model, c.ws));
    for (const double scale : {1e-6, 1e-3, 1e3}) {
      const ReactionCase other(of_other_size(spec, scale), 1, 0.0);
      ASSERT_EQ(other.status, StepStatus::kOk) << spec.name << ' ' << scale;
      ReactionSweep resized(other.model);

      ASSERT_TRUE(resized.update(other.model, other.ws)) << spec.name << ' ' << scale;

      for (int k = 1; k < c.model.body_count(); ++k) {
        EXPECT_EQ(sweep.joint(k).unique, resized.joint(k).unique) << spec.name << ' ' << scale << ' ' << k;
      }
      EXPECT_EQ(sweep.loop(0).unique, resized.loop(0).unique) << spec.name << ' ' << scale;
    }
  }
}

TEST(ReactionSweep, APlanarLoopIsDeterminedInItsPlaneOnly) {
  const ReactionCase c(mechanisms::four_bar());
  ReactionSweep sweep(c.model);

  ASSERT_TRUE(sweep.update(c.model, c.ws));

  const std::array<bool, 6> in_plane{true, true, false, false, false, true};
  for (int k = 1; k < c.model.body_count(); ++k) EXPECT_EQ(sweep.joint(k).unique, in_plane);
  EXPECT_EQ(sweep.loop(0).unique, in_plane);
}

TEST(ReactionSweep, DoesNotAllocate) {
  for (const ModelSpec& spec : {mechanisms::n_four_bar(10, 0.8, -1.0), mechanisms::config("excavator"),
                                mechanisms::lattice(3, 3), reaction_linkage(8)}) {
    const ReactionCase c(spec);
    ReactionSweep sweep(c.model);

    const AllocationCount allocations;
    const bool found = sweep.update(c.model, c.ws);

    EXPECT_EQ(allocations.value(), 0);
    EXPECT_TRUE(found);
  }
}

// A flat ladder could fold in many ways: some reactions are undetermined in that instant, none is made up.
TEST(ReactionSweep, SaysWhatIsOpenInASingularPosition) {
  const ReactionCase regular(mechanisms::n_four_bar(3, 1e-2, 1.0), 1, 0.0);
  const ReactionCase flat(mechanisms::n_four_bar(3, 0.0, 1.0), 1, 0.0);
  ReactionSweep sweep(flat.model);
  const auto count = [&](const ReactionCase& c) {
    int unique = 0;
    EXPECT_TRUE(sweep.update(c.model, c.ws));
    for (int k = 1; k < c.model.body_count(); ++k) {
      for (const bool is_unique : sweep.joint(k).unique) unique += is_unique ? 1 : 0;
    }
    return unique;
  };

  EXPECT_EQ(regular.status, StepStatus::kOk);
  EXPECT_EQ(flat.status, StepStatus::kOk);
  EXPECT_LT(count(flat), count(regular));
}

/// Platforms in a row, each pinned to the one before, all on equal parallel rods, which swing together: nearly every
/// rod adds a self-stress that no equation of the rods determines, so that all of them wait until the first platform is
/// reached. What hangs on the last platform is determined.
ModelSpec platforms_on_rods(int platforms, int rods) {
  ModelSpec spec;
  spec.name = "platforms" + std::to_string(platforms);
  spec.gravity = Vector3(0.0, -9.81, 0.0);
  const auto add_body = [&](const std::string& name) {
    BodySpec body;
    body.name = name;
    body.mass = 1.0;
    body.inertia = 0.1 * Matrix3::Identity();
    spec.bodies.push_back(body);
  };
  const auto pin = [](const std::string& name, const std::string& from, const Vector3& at, const std::string& to) {
    JointSpec joint;
    joint.name = name;
    joint.type = JointType::kRevolute;
    joint.predecessor = from;
    joint.successor = to;
    joint.frame_pred.p = at;
    return joint;
  };
  constexpr double kSwing_rad = 0.7;
  constexpr double kApart_m = 0.1;
  const double width_m = kApart_m * rods;
  std::string platform;
  for (int p = 0; p < platforms; ++p) {
    const std::string before = platform;
    platform = "platform" + std::to_string(p);
    add_body(platform);
    if (p > 0) spec.joints.push_back(pin("edge" + platform, before, Vector3(width_m, 0.0, 0.0), platform));
    for (int i = 0; i < rods; ++i) {
      const std::string rod = "rod" + std::to_string(p * rods + i);
      const Vector3 foot(kApart_m * i, 0.0, 0.0);
      add_body(rod);
      spec.joints.push_back(pin("foot" + rod, kGround, Vector3(p * width_m, 0.0, 0.0) + foot, rod));
      spec.joints.back().initial_q = {kSwing_rad};
      JointSpec top = pin("top" + rod, rod, Vector3(1.0, 0.0, 0.0), platform);
      top.frame_succ.p = foot;
      if (p == 0 && i == 0) {
        top.initial_q = {-kSwing_rad};
        spec.joints.push_back(top);
      } else {
        spec.loops.push_back(top);
      }
    }
  }
  add_body("load");
  spec.joints.push_back(pin("hook", platform, Vector3(width_m, 0.0, 0.0), "load"));
  return spec;
}

/// A ring of equal bars in the x-y plane, the first and the last on the ground; the second and the last but one turn by
/// the same angle. After two equations of the ring all others wait for the force of the coupling.
ModelSpec coupled_ring(int bars) {
  const double turn_rad = 2.0 * std::numbers::pi / (bars + 1);
  const Vector3 end(1.0, 0.0, 0.0);
  ModelSpec spec;
  spec.name = "ring";
  spec.gravity = Vector3(0.0, -9.81, 0.0);
  for (int i = 0; i < bars; ++i) {
    const std::string number = std::to_string(i);
    BodySpec body;
    body.name = "bar" + number;
    body.mass = 1.0 + 0.01 * i;
    body.inertia = 0.1 * Matrix3::Identity();
    spec.bodies.push_back(body);
    JointSpec pin;
    pin.name = "pin" + number;
    pin.type = JointType::kRevolute;
    pin.predecessor = i == 0 ? kGround : "bar" + std::to_string(i - 1);
    pin.successor = body.name;
    if (i > 0) pin.frame_pred.p = end;
    pin.initial_q = {i == 0 ? 0.0 : turn_rad};
    spec.joints.push_back(pin);
  }
  JointSpec last;
  last.name = "last";
  last.type = JointType::kRevolute;
  last.predecessor = kGround;
  last.successor = spec.bodies.back().name;
  last.frame_pred.p = Vector3(-std::cos(turn_rad), std::sin(turn_rad), 0.0);
  last.frame_succ.p = end;
  spec.loops.push_back(last);
  spec.couplings.push_back({"equal", "pin1", "pin" + std::to_string(bars - 2), 1.0, 0.0});
  return spec;
}

// Self-stresses by the hundred, on one body or along a chain of loops, and equations by the dozen that wait for one
// coupling: what statics determine is found all the same, and told apart from what they leave open.
TEST(ReactionSweep, FindsWhatIsDeterminedHoweverManyMultipliersAreLive) {
  for (const ModelSpec& spec : {platforms_on_rods(1, 110), platforms_on_rods(30, 5), coupled_ring(60)}) {
    expect_least_squares(ReactionCase(spec, 1, 0.0), spec.name);
  }
}

// Too long for the dense schemes. Pins carry no moment: what a chain of substitutions loses would show there.
TEST(ReactionSweep, ServesALongChainOfLoops) {
  const ReactionCase c(mechanisms::n_four_bar(150, 0.8, -1.0), 1, 0.0);
  ASSERT_EQ(c.status, StepStatus::kOk);
  ReactionSweep sweep(c.model);

  const AllocationCount allocations;
  ASSERT_TRUE(sweep.update(c.model, c.ws));

  EXPECT_EQ(allocations.value(), 0);
  const std::array<bool, 6> in_plane{true, true, false, false, false, true};
  for (int k = 1; k < c.model.body_count(); ++k) {
    EXPECT_EQ(sweep.joint(k).unique, in_plane) << k;
    EXPECT_NEAR(sweep.joint(k).component(5), 0.0, 1e-8) << k;
  }
}

TEST(ReactionSweep, GivesUpWhereForcesDoNotBalance) {
  ReactionCase c(mechanisms::four_bar());
  ReactionSweep sweep(c.model);
  c.ws.A[2].linear = c.ws.A[2].linear + Vec3(1.0, 0.0, 0.0);

  EXPECT_FALSE(sweep.update(c.model, c.ws));

  for (const bool is_unique : sweep.joint(1).unique) EXPECT_FALSE(is_unique);
}

}  // namespace
}  // namespace kinloop
