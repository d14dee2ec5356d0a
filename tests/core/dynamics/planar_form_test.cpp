// Tests that formulations in a plane say what they say in space, on planar mechanisms that nobody chose.
#include "core/dynamics/planar_form.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/base/at.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/dynamics/reactions/reaction_sweep.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

/// Both forms lose digits with the pivots of their basis, and a draw may lie near a singular position: those are left
/// out. Pivots above 1e-2 lose four of sixteen digits at most.
constexpr double kFormsAgree = 1e-10;
constexpr double kFairPivot = 1e-2;

Matrix3 about_z(double angle_rad) {
  Matrix3 R;
  R << std::cos(angle_rad), -std::sin(angle_rad), 0, std::sin(angle_rad), std::cos(angle_rad), 0, 0, 0, 1;
  return R;
}

/// z of the frame along x: what slides must have to stay in the x-y plane.
Matrix3 z_along_x() {
  Matrix3 R;
  R << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  return R;
}

struct PlanarDraw {
  int bodies = 6;
  int loops = 0;
  double scale_m = 1.0;
};

/// A frame in which a joint of this type stays in the x-y plane of the body frames; some point against z.
Pose planar_frame(JointType type, Random& random, double scale_m) {
  Pose frame{about_z(random.uniform(-3.0, 3.0)), random.vector(scale_m)};
  if (type == JointType::kPrismatic) frame.R = frame.R * z_along_x();
  return frame;
}

Matrix3 any_inertia(Random& random, double size) {
  const Matrix3 R = random.rotation();
  const Vector3 masses(random.uniform(0.1, 1.0), random.uniform(0.1, 1.0), random.uniform(0.1, 1.0));
  const Vector3 moments(masses.y() + masses.z(), masses.x() + masses.z(), masses.x() + masses.y());
  return size * (R * moments.asDiagonal() * R.transpose());
}

/// A tree of all joints that can stay in a plane, at any place in space. Bodies have products of inertia and centres of
/// mass anywhere; gravity has any direction.
ModelSpec planar_tree(Random& random, const PlanarDraw& draw) {
  constexpr JointType kTypes[] = {JointType::kRevolute, JointType::kPrismatic, JointType::kRevolute,
                                  JointType::kPinSlot,  JointType::kPlanar,    JointType::kFixed};
  ModelSpec spec;
  spec.name = "planar";
  spec.gravity = random.vector(10.0);
  for (int i = 0; i < draw.bodies; ++i) {
    BodySpec body;
    body.name = "body" + std::to_string(i);
    body.mass = random.uniform(0.5, 2.0);
    body.com = random.vector(draw.scale_m);
    body.inertia = any_inertia(random, draw.scale_m * draw.scale_m);
    JointSpec joint;
    joint.name = "joint" + std::to_string(i);
    joint.type = i == 0 ? JointType::kRevolute : kTypes[random.below(6)];
    joint.predecessor = i == 0 || random.happens(0.15) ? kGround : spec.bodies[at(random.below(i))].name;
    joint.successor = body.name;
    joint.frame_pred = planar_frame(joint.type, random, draw.scale_m);
    joint.frame_succ = planar_frame(joint.type, random, draw.scale_m);
    for (const SpeedKind kind : speed_kinds(joint.type)) {
      const double size = kind == SpeedKind::kLength ? draw.scale_m : 1.0;
      joint.initial_q.push_back(size * random.uniform(-1.0, 1.0));
      joint.initial_u.push_back(size * random.uniform(-1.0, 1.0));
    }
    spec.bodies.push_back(body);
    spec.joints.push_back(joint);
  }
  return spec;
}

Pose world_pose(const Model& model, const Workspace& ws, const std::string& body) {
  if (body == kGround) return {};
  const int k = model.find_body(body);
  const BodyMotion& m = ws.motion[at(k)];
  return Pose{m.R.eigen(), m.x.eigen()} * model.body_frame(k);
}

/// The same with closing joints between any of its bodies, closed where the tree stands.
ModelSpec planar_linkage(std::uint64_t seed, const PlanarDraw& draw) {
  Random random(seed);
  ModelSpec spec = planar_tree(random, draw);
  const Model tree = mechanisms::compiled(spec);
  Workspace ws(tree);
  update_positions(tree, tree.initial_q().data(), ws);
  for (int l = 0; l < draw.loops; ++l) {
    JointSpec loop;
    loop.name = "loop" + std::to_string(l);
    loop.type = random.happens(0.3) ? JointType::kPinSlot : JointType::kRevolute;
    loop.predecessor = random.happens(0.5) ? kGround : spec.bodies[at(random.below(draw.bodies))].name;
    do {
      loop.successor = spec.bodies[at(random.below(draw.bodies))].name;
    } while (loop.successor == loop.predecessor);
    const Pose here = planar_frame(loop.type, random, draw.scale_m);
    loop.frame_pred = inverse(world_pose(tree, ws, loop.predecessor)) * here;
    loop.frame_succ = inverse(world_pose(tree, ws, loop.successor)) * here;
    spec.loops.push_back(loop);
  }
  spec = mechanisms::placed(spec, random.pose(3.0 * draw.scale_m));
  if (draw.loops > 0) mechanisms::close_velocities(spec);
  return spec;
}

struct BothForms {
  BothForms(const ModelSpec& spec, std::string_view name, std::unique_ptr<Dynamics> (*spatial_form)(const Model&),
            std::uint64_t seed)
      : model(mechanisms::compiled(spec)), planar(model), spatial(model), loads(model) {
    Random random(seed);
    loads = mechanisms::random_loads(model, random);
    State state(model);
    auto in_plane = make_bare_dynamics(name, model).value();
    auto in_space = spatial_form(model);
    ok = accelerations(model, state, loads, *in_plane, planar) == StepStatus::kOk &&
         accelerations(model, state, loads, *in_space, spatial) == StepStatus::kOk;
    pivot = std::min(in_plane->report().conditioning, in_space->report().conditioning);
  }
  /// Lengths in lengths of the mechanism, against the largest; a mechanism that is locked has rounding only, which is
  /// measured against what its loads would do to free bodies.
  double difference() const {
    const double length_m = model.length_m();
    double largest = 1e-3 * (10.0 / length_m + 1.0 / (length_m * length_m));
    double differs = 0.0;
    for (int k = 1; k < model.body_count(); ++k) {
      const BodyConstants& body = model.body(k);
      for (int i = 0; i < body.nv; ++i) {
        const int s = body.v + i;
        const double unit = speed_kinds(body.joint)[at(i)] == SpeedKind::kLength ? length_m : 1.0;
        largest = std::max(largest, std::abs(spatial.vdot[s]) / unit);
        differs = std::max(differs, std::abs(planar.vdot[s] - spatial.vdot[s]) / unit);
      }
    }
    return differs / largest;
  }

  Model model;
  Workspace planar, spatial;
  Loads loads;
  bool ok = false;
  double pivot = 1.0;
};

TEST(PlanarForm, IsTakenByMechanismsInAPlaneAnywhereInSpace) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Model model = mechanisms::compiled(planar_linkage(seed, {.bodies = 7, .loops = 1}));

    EXPECT_TRUE(takes_planar_form("rcr", model)) << seed;
    EXPECT_FALSE(takes_planar_form("partition", model)) << "has none";
  }
}

TEST(PlanarForm, IsNotTakenWhereAJointLeavesThePlane) {
  for (const JointType type :
       {JointType::kUniversal, JointType::kSpherical, JointType::kFree, JointType::kCylindrical, JointType::kScrew}) {
    ModelSpec spec = mechanisms::four_bar();
    JointSpec joint;
    joint.name = "last";
    joint.type = type;
    joint.pitch = 0.1;
    joint.predecessor = spec.bodies[0].name;
    joint.successor = "last";
    spec.bodies.push_back(spec.bodies[0]);
    spec.bodies.back().name = "last";
    spec.joints.push_back(joint);

    EXPECT_FALSE(takes_planar_form("rcr", mechanisms::compiled(spec))) << joint_kind(type).name;
  }
}

TEST(PlanarForm, IsNotTakenWhereAnAxisIsTiltedByLittle) {
  for (const double tilt_rad : {1e-1, 1e-6, 1e-10}) {
    ModelSpec spec = mechanisms::double_pendulum();
    ASSERT_TRUE(takes_planar_form("rfda", mechanisms::compiled(spec)));
    Matrix3 tilt;
    tilt << 1, 0, 0, 0, std::cos(tilt_rad), -std::sin(tilt_rad), 0, std::sin(tilt_rad), std::cos(tilt_rad);

    spec.joints[1].frame_pred.R = spec.joints[1].frame_pred.R * tilt;

    EXPECT_FALSE(takes_planar_form("rfda", mechanisms::compiled(spec))) << tilt_rad;
  }
}

TEST(PlanarForm, IsNotTakenWhereAClosingJointIsTilted) {
  ModelSpec spec = mechanisms::four_bar();
  ASSERT_TRUE(takes_planar_form("rcr", mechanisms::compiled(spec)));

  spec.loops[0].frame_pred.R = spec.loops[0].frame_succ.R = z_along_x();

  EXPECT_FALSE(takes_planar_form("rcr", mechanisms::compiled(spec)));
}

TEST(PlanarForm, OfTreesAgreesWithTheSpatialOneAtAnySize) {
  int compared = 0;
  for (const double scale_m : {1.0, 1e-5, 1e3}) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const ModelSpec spec = planar_linkage(seed, {.bodies = 2 + static_cast<int>(seed % 14), .scale_m = scale_m});

      const BothForms both(spec, "rfda", formulations::make_spatial_rfda, seed);

      ASSERT_TRUE(takes_planar_form("rfda", both.model)) << seed;
      ASSERT_TRUE(both.ok) << seed;
      EXPECT_LT(both.difference(), kFormsAgree) << seed << ' ' << scale_m;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 180);
}

TEST(PlanarForm, OfLoopsAgreesWithTheSpatialOneAtAnySize) {
  int compared = 0;
  for (const double scale_m : {1.0, 1e-4, 1e3}) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const int bodies = 4 + static_cast<int>(seed % 10);
      const ModelSpec spec =
          planar_linkage(seed, {.bodies = bodies, .loops = 1 + static_cast<int>(seed % 3), .scale_m = scale_m});

      const BothForms both(spec, "rcr", formulations::make_spatial_rcr, seed);

      ASSERT_TRUE(takes_planar_form("rcr", both.model)) << seed;
      if (!both.ok || both.pivot < kFairPivot) continue;
      EXPECT_LT(both.difference(), kFormsAgree) << seed << ' ' << scale_m;
      ++compared;
    }
  }
  EXPECT_GT(compared, 150);
}

TEST(PlanarForm, OfLargeNetsAgreesWithTheSpatialOne) {
  const std::vector<ModelSpec> nets = {mechanisms::n_four_bar(20, 1.0, 1.0), mechanisms::ladder(12, 3, 0.2),
                                       mechanisms::four_bar_chain(6),        mechanisms::lattice(2, 3),
                                       mechanisms::folded_ladder(8, 0.3),    mechanisms::folded_ladder(50, 0.0)};
  Random random(8);
  for (const ModelSpec& net : nets) {
    const ModelSpec spec = mechanisms::placed(net, random.pose(5.0));

    const BothForms both(spec, "rcr", formulations::make_spatial_rcr, 5);

    ASSERT_TRUE(takes_planar_form("rcr", both.model)) << net.name;
    ASSERT_TRUE(both.ok) << net.name;
    EXPECT_LT(both.difference(), 1e-9) << net.name;
  }
}

TEST(PlanarForm, OfCompositesAgreesWithTheSpatialOne) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const PlanarDraw draw{.bodies = 3 + static_cast<int>(seed % 9), .loops = static_cast<int>(seed % 3)};

    const BothForms both(planar_linkage(seed, draw), "semi_recursive_2", formulations::make_spatial_semi_recursive_2,
                         seed);

    ASSERT_TRUE(takes_planar_form("semi_recursive_2", both.model)) << seed;
    if (!both.ok || both.pivot < kFairPivot) continue;
    EXPECT_LT(both.difference(), kFormsAgree) << seed;
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

/// Forces square to the plane and moments in it do no work, but joints carry them.
TEST(PlanarForm, LeavesTheReactionsOfSpaceAsTheyAre) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const BothForms both(planar_linkage(seed, {.bodies = 6, .loops = 1}), "rcr", formulations::make_spatial_rcr, seed);
    if (!both.ok || both.pivot < kFairPivot) continue;
    ReactionSweep planar(both.model), spatial(both.model);

    ASSERT_TRUE(planar.update(both.model, both.planar)) << seed;
    ASSERT_TRUE(spatial.update(both.model, both.spatial)) << seed;
    ++compared;

    for (int k = 1; k < both.model.body_count(); ++k) {
      const SpatialVector d = planar.joint(k).wrench - spatial.joint(k).wrench;
      EXPECT_EQ(planar.joint(k).unique, spatial.joint(k).unique) << seed;
      EXPECT_LT(d.linear.eigen().norm(), 1e-8 * (1.0 + spatial.joint(k).wrench.linear.eigen().norm())) << seed;
    }
  }
  EXPECT_GT(compared, 20);
}

/// A tree's joints must carry all of the wrench that is left: inverse dynamics, which knows nothing of planes.
TEST(PlanarForm, OfTreesIsUndoneByInverseDynamicsInSpace) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const BothForms both(planar_linkage(seed, {.bodies = 10}), "rfda", formulations::make_spatial_rfda, seed);
    std::vector<SpatialVector> wrench(at(both.model.body_count()));
    VectorX tau(both.model.nv());

    joint_reactions(both.model, both.planar, {}, wrench);
    generalized_forces(both.model, both.planar, wrench, tau);

    EXPECT_LT((tau - both.planar.tau).lpNorm<Eigen::Infinity>(), 1e-9 * (1.0 + tau.lpNorm<Eigen::Infinity>())) << seed;
  }
}

TEST(PlanarForm, IsVerifiedAndDoesNotAllocate) {
  for (const std::string_view name : {"rcr", "semi_recursive_2"}) {
    const Model model = mechanisms::compiled(mechanisms::n_four_bar(10, 1.0, 1.0));
    const State state(model);
    Workspace ws(model);
    const Loads loads(model);
    const auto dynamics = make_dynamics(name, model).value();
    ASSERT_EQ(accelerations(model, state, loads, *dynamics, ws), StepStatus::kOk);

    const AllocationCount allocations;
    const StepStatus status = accelerations(model, state, loads, *dynamics, ws);

    EXPECT_EQ(status, StepStatus::kOk);
    EXPECT_EQ(dynamics->report().fallbacks, 0);
    EXPECT_EQ(allocations.value(), 0);
  }
}

}  // namespace
}  // namespace kinloop
