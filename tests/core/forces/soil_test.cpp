// Tests the soil: bounded, dissipative, and firm enough to rest on.
#include <gtest/gtest.h>

#include <cmath>

#include "core/forces/contact.hpp"
#include "core/forces/contact_law.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/energy_of.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/resting_bodies.hpp"

namespace kinloop {
namespace {

constexpr double kMax_N = 300.0;

/// A tooth, which is a point, over soil.
ModelSpec tooth_over_soil(double height_m) {
  ModelSpec spec = mechanisms::ball_over_plane(height_m);
  PlaneSpec& soil = spec.planes[0];
  soil.kind = PlaneKind::kSoil;
  soil.stiffness = 1e3;
  soil.dissipation = 10.0;
  soil.digging = 4e3;
  soil.max_force = kMax_N;
  soil.friction_speed = 0.1;
  spec.contacts[0].size.setZero();
  return spec;
}

TEST(Soil, ForceNeverExceedsItsBound) {
  Random random(11);
  const Model model = mechanisms::compiled(tooth_over_soil(0.0));
  State state(model);
  Workspace ws(model);
  double largest_N = 0.0;
  for (int i = 0; i < 2000; ++i) {
    mechanisms::randomize(model, random, state);
    state.v() *= 5.0;
    update_kinematics(model, state, ws);

    const Touch touch = touch_of(model, model.contact_points()[0], ws);

    EXPECT_LE(touch.force.norm(), kMax_N * (1.0 + 1e-12));
    largest_N = std::max(largest_N, touch.force.norm());
  }
  EXPECT_GT(largest_N, 0.9 * kMax_N);
}

TEST(Soil, ResistanceGrowsWithDepthUpToTheBound) {
  const Model model = mechanisms::compiled(tooth_over_soil(0.0));
  const Plane& soil = model.planes()[0];
  constexpr double kFast_m_s = 2.0;

  double last_N = 0.0;
  for (const double depth_m : {0.01, 0.02, 0.04}) {
    const double drag_N = plane_force(soil, depth_m, 0.0, kFast_m_s).drag * kFast_m_s;
    EXPECT_GT(drag_N, last_N);
    last_N = drag_N;
  }

  const PlaneForce deep = plane_force(soil, 1.0, 0.0, kFast_m_s);
  EXPECT_NEAR(deep.drag * kFast_m_s + deep.push.force_N, kMax_N, 1e-9);
}

TEST(Soil, DiggingNeverGivesEnergyBack) {
  ModelSpec spec = tooth_over_soil(0.2);
  spec.joints[0].initial_u = {2.0, 1.0, -1.0, 1.0, 2.0, 3.0};
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "rk4");
  constexpr double kRounding_J = 1e-4;
  const double first_J = energy_of(simulation);
  double lowest_J = first_J;

  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(simulation.step(1e-4), StepStatus::kOk);
    const double now_J = energy_of(simulation);
    ASSERT_LT(now_J, lowest_J + kRounding_J) << "after step " << i;
    lowest_J = std::min(lowest_J, now_J);
  }

  EXPECT_LT(lowest_J, 0.2 * first_J);
}

TEST(Soil, ABodyRestsWhereTheBearingShareCarriesIt) {
  const Model model = mechanisms::compiled(tooth_over_soil(0.1));
  constexpr double kDepth_m = 2.0 * 9.81 / 1e3;
  for (const char* method : {"rk4", "semi_implicit_euler", "linearly_implicit"}) {
    Simulation simulation(model, method);

    ASSERT_EQ(simulation.run(1e-3, 20'000), StepStatus::kOk);

    EXPECT_NEAR(simulation.state.q()[2], -kDepth_m, 1e-5) << method;
    EXPECT_LT(simulation.state.v().cwiseAbs().maxCoeff(), 1e-5) << method;
  }
}

}  // namespace
}  // namespace kinloop
