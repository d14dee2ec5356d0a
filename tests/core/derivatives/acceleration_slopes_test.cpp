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

}  // namespace
}  // namespace kinloop
