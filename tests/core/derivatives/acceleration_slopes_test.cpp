// Tests the derivatives of forward dynamics against differences of the formulations themselves.
#include "core/derivatives/acceleration_slopes.hpp"

#include <gtest/gtest.h>

#include "core/dynamics/forward_dynamics.hpp"
#include "core/kinematics/configuration.hpp"
#include "tests/support/linkages.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;

/// Differences of `partition`, `rfda` or whatever the model needs, extrapolated twice from steps of `h`.
class AccelerationDifferences {
 public:
  AccelerationDifferences(const Model& model, const State& state, const Loads& loads)
      : model_(model), state_(state), loads_(loads), ws_(model) {
    auto made = make_dynamics(model.has_loops() ? "semi_recursive_2" : "rfda", model);
    dynamics_ = std::move(made).value();
  }

  VectorX at(const VectorX& dq, const VectorX& dv, const VectorX& dtau) {
    State state = state_;
    const VectorX q = state.q();
    advance_configuration(model_, q.data(), dq.data(), state.q().data());
    state.v() += dv;
    Loads loads = loads_;
    loads.tau += dtau;
    EXPECT_EQ(accelerations(model_, state, loads, *dynamics_, ws_), StepStatus::kOk);
    return ws_.vdot;
  }

  VectorX along(const VectorX& dq, const VectorX& dv, const VectorX& dtau, double h) {
    const auto slope = [&](double s) -> VectorX {
      return (at(s * dq, s * dv, s * dtau) - at(-s * dq, -s * dv, -s * dtau)) / (2.0 * s);
    };
    return (64.0 * slope(0.25 * h) - 20.0 * slope(0.5 * h) + slope(h)) / 45.0;
  }

  const Workspace& evaluated() {
    const VectorX none = VectorX::Zero(model_.nv());
    at(none, none, none);
    return ws_;
  }

 private:
  const Model& model_;
  State state_;
  Loads loads_;
  Workspace ws_;
  std::unique_ptr<Dynamics> dynamics_;
};

double column_difference(const VectorX& a, const VectorX& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

/// The largest disagreement in all directions that are free, for a tree.
double tree_disagreement(const Model& model, const State& state, const Loads& loads, double h = 2e-2) {
  AccelerationDifferences differences(model, state, loads);
  AccelerationSlopes slopes(model);
  EXPECT_TRUE(slopes.update(state.q().data(), state.v().data(), loads, differences.evaluated()));
  const Eigen::Index n = model.nv();
  const MatrixX none = MatrixX::Zero(n, n);
  double worst = 0.0;
  for (int part = 0; part < 3; ++part) {
    MatrixX unit = MatrixX::Identity(n, n);
    for (const int i : model.driven_speeds()) unit(i, i) = 0.0;
    MatrixX da(n, n);
    slopes.accelerations(part == 0 ? unit : none, part == 1 ? unit : none, part == 2 ? unit : none, da);
    for (Eigen::Index j = 0; j < n; ++j) {
      const VectorX zero = VectorX::Zero(n);
      const VectorX d = unit.col(j);
      const VectorX expected = differences.along(part == 0 ? d : zero, part == 1 ? d : zero, part == 2 ? d : zero, h);
      worst = std::max(worst, column_difference(da.col(j), expected));
    }
  }
  return worst;
}

TEST(AccelerationSlopes, AgreeWithDifferencesOnRandomTreesOfAllJoints) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    mechanisms::TreeOptions options;
    options.armature = options.shuffled = true;
    options.driven = seed % 3 == 0;
    options.chain = seed % 4 == 0;
    const Model model = compiled(mechanisms::random_tree(seed, 12, options));
    Random random(seed);
    State state(model);
    mechanisms::randomize(model, random, state);
    const Loads loads = mechanisms::random_loads(model, random);

    EXPECT_LT(tree_disagreement(model, state, loads), 1e-7) << "seed " << seed;
  }
}

TEST(AccelerationSlopes, AgreeWithDifferencesWithSpringsBushingsAndJointForces) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    mechanisms::TreeOptions options;
    options.joint_forces = seed % 2 == 0;
    options.springs = seed % 4 < 2;
    options.bushings = seed > 4;
    const Model model = compiled(mechanisms::random_tree(seed, 8, options));
    Random random(seed + 100);
    State state(model);
    const Loads loads = mechanisms::random_loads(model, random);

    EXPECT_LT(tree_disagreement(model, state, loads, 4e-3), 1e-7) << "seed " << seed;
  }
}

/// Planes far beyond all bodies, on the ground and on a body, so that every contact touches them deeply.
PlaneSpec deep_plane(const std::string& body, PlaneKind kind) {
  PlaneSpec plane;
  plane.name = "plane_of_" + body;
  plane.body = body;
  plane.frame.p = Vector3(0.0, 0.0, 20.0);
  plane.kind = kind;
  plane.stiffness = 3.0;
  plane.dissipation = 0.02;
  plane.friction = 0.7;
  plane.friction_speed = 0.8;
  plane.digging = kind == PlaneKind::kSoil ? 2.0 : 0.0;
  plane.max_force = kind == PlaneKind::kSoil ? 1e3 : 0.0;
  return plane;
}

TEST(AccelerationSlopes, AgreeWithDifferencesInContactWithPlanesAndOnRopes) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    ModelSpec spec = mechanisms::random_tree(seed, 7);
    const PlaneKind kind = seed % 2 == 0 ? PlaneKind::kSoil : PlaneKind::kFirm;
    spec.planes = {deep_plane(kGround, kind), deep_plane(spec.bodies[1].name, kind)};
    ContactSpec sphere;
    sphere.name = "sphere";
    sphere.body = spec.bodies[5].name;
    sphere.size = Vector3(0.3, 0.0, 0.0);
    sphere.pose.p = Vector3(0.1, -0.2, 0.3);
    ContactSpec box = sphere;
    box.name = "box";
    box.body = spec.bodies[4].name;
    box.shape = ContactShape::kBox;
    box.size = Vector3(0.3, 0.2, 0.1);
    spec.contacts = {sphere, box};
    RopeSpec rope;
    rope.name = "rope";
    rope.body_a = spec.bodies[2].name;
    rope.body_b = spec.bodies[6].name;
    rope.point_a = Vector3(0.2, 0.1, 0.0);
    rope.point_b = Vector3(-0.4, 0.9, 0.3);
    rope.length = 1e-3;
    rope.stiffness = 5.0;
    rope.dissipation = 0.03;
    for (const JointSpec& joint : spec.joints) {
      if (joint.type == JointType::kRevolute || joint.type == JointType::kPrismatic) rope.winch = joint.name;
    }
    rope.pay_out = 1e-3;
    spec.ropes = {rope};
    const Model model = compiled(spec);
    Random random(seed);
    const State state(model);
    const Loads loads = mechanisms::random_loads(model, random);

    EXPECT_LT(tree_disagreement(model, state, loads, 4e-3), 1e-7) << "seed " << seed;
  }
}

}  // namespace
}  // namespace kinloop
