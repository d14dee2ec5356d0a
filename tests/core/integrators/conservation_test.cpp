// Tests that energy and angular momentum hold to the order of each integrator.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/dynamics/energy.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/energy_of.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/simulation.hpp"

namespace kinloop {
namespace {

Vector3 angular_momentum_of(Simulation& simulation) {
  update_kinematics(simulation.model, simulation.state, simulation.ws);
  return momentum(simulation.model, simulation.ws).angular;
}

class Conservation : public ::testing::TestWithParam<IntegratorKind> {};

/// How far the angular momentum of a tumbling body has gone after 1 s.
double momentum_drift(const Model& model, std::string_view method, int steps) {
  Simulation simulation(model, method);
  const Vector3 before = angular_momentum_of(simulation);
  EXPECT_EQ(simulation.run(1.0 / steps, steps), StepStatus::kOk);
  return (angular_momentum_of(simulation) - before).norm() / before.norm();
}

TEST_P(Conservation, AngularMomentumOfATumblingBodyHoldsToTheOrder) {
  const Model model = mechanisms::compiled(mechanisms::free_body());

  const double coarse = momentum_drift(model, GetParam().name, 64);
  const double fine = momentum_drift(model, GetParam().name, 128);

  if (GetParam().name == "semi_implicit_euler") {  // whose drift keeps it exactly
    EXPECT_LT(std::max(coarse, fine), 1e-13);
    return;
  }
  // A method may do better than its order, as rk4 does here, never worse.
  EXPECT_GT(std::log2(coarse / fine), GetParam().order - 0.2) << coarse << " " << fine;
}

TEST_P(Conservation, EnergyOfAPendulumHoldsToTheOrder) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  const auto largest_change = [&](int steps) {
    Simulation simulation(model, GetParam().name);
    const double before = energy_of(simulation);
    double largest = 0.0;
    for (int i = 0; i < steps; ++i) {
      EXPECT_EQ(simulation.step(2.0 / steps), StepStatus::kOk);
      largest = std::max(largest, std::abs(energy_of(simulation) - before));
    }
    return largest;
  };

  const double coarse = largest_change(256);
  const double fine = largest_change(512);

  EXPECT_GT(std::log2(coarse / fine), GetParam().order - 0.2) << coarse << " " << fine;
}

INSTANTIATE_TEST_SUITE_P(All, Conservation, ::testing::ValuesIn(integrator_kinds().begin(), integrator_kinds().end()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(SemiImplicitEuler, KeepsAPendulumsEnergyBoundedOverManySwings) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  Simulation simulation(model, "semi_implicit_euler");
  const double before = energy_of(simulation);
  const double lowest = -9.81 * 0.5;

  double early = 0.0;
  double late = 0.0;
  for (int i = 0; i < 100'000; ++i) {  // 1000 s, some 600 swings
    ASSERT_EQ(simulation.step(0.01), StepStatus::kOk);
    double& largest = i < 1000 ? early : late;
    largest = std::max(largest, std::abs(energy_of(simulation) - before));
  }

  EXPECT_LT(early, 0.05 * (before - lowest));
  EXPECT_LT(late, 1.05 * early);  // it swings about the true energy and does not leave it
}

}  // namespace
}  // namespace kinloop
