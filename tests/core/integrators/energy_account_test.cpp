// Tests the account of energy: each kind of work is where it belongs, what is left is of the integrator's order.
#include "core/integrators/energy_account.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

#include "tests/support/allocation_count.hpp"
#include "tests/support/energy_of.hpp"
#include "tests/support/linkages.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/simulation.hpp"
#include "tests/support/slides.hpp"

namespace kinloop {
namespace {

/// Of a second; loads are those that `apply` puts there.
template <class Apply>
EnergyBalance balance_of(const ModelSpec& spec, std::string_view method, double dt_s, const Apply& apply) {
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, method, "auto");
  simulation.integrator->loops().keep_unprojected();
  apply(simulation.loads);
  EnergyAccount account(model);
  account.start(simulation.state);
  for (int i = 0; i < static_cast<int>(std::lround(1.0 / dt_s)); ++i) {
    EXPECT_EQ(simulation.step(dt_s), StepStatus::kOk);
    account.add(simulation.state, simulation.loads, *simulation.integrator);
  }
  return account.balance();
}

EnergyBalance balance_of(const ModelSpec& spec, std::string_view method, double dt_s) {
  return balance_of(spec, method, dt_s, [](Loads&) {});
}

/// With steps of 8 and 2 ms: single halvings may pass a zero of the rest.
template <class Apply>
void expect_rest_of_order(const ModelSpec& spec, const IntegratorKind& kind, const Apply& apply) {
  const EnergyBalance whole = balance_of(spec, kind.name, 8e-3, apply);
  const EnergyBalance fine = balance_of(spec, kind.name, 2e-3, apply);
  EXPECT_GT(whole.exchanged_J, 0.0);
  const double expected_J = std::abs(whole.rest_J) / (0.4 * std::pow(4.0, kind.order));
  EXPECT_LT(std::abs(fine.rest_J), std::max(expected_J, 1e-12 * fine.exchanged_J))
      << kind.name << ": " << whole.rest_J << " J";
}

class EnergyAccountOf : public ::testing::TestWithParam<IntegratorKind> {};

TEST_P(EnergyAccountOf, AForceAlongASpeed) {
  ModelSpec spec = mechanisms::double_pendulum();
  for (JointSpec& joint : spec.joints) {
    joint.coordinates.resize(1);
    joint.coordinates[0].damping = 0.3;
  }
  expect_rest_of_order(spec, GetParam(), [](Loads& loads) { loads.tau[1] = 2.0; });
}

TEST_P(EnergyAccountOf, AForceOnABodyThatTumbles) {
  expect_rest_of_order(mechanisms::free_body(), GetParam(), [](Loads& loads) {
    ExternalWrench push;
    push.body = 1;
    push.point = Vector3(0.2, -0.1, 0.3);
    push.force = Vector3(3.0, 1.0, -2.0);
    push.moment = Vector3(0.0, 0.4, 0.0);
    loads.wrenches.push_back(push);
  });
}

TEST_P(EnergyAccountOf, ADrivenJointAgainstADamper) {
  ModelSpec spec = mechanisms::double_pendulum();
  for (JointSpec& joint : spec.joints) {
    joint.coordinates.resize(1);
    joint.coordinates[0].damping = 0.2;
  }
  FunctionSpec swing;
  swing.frequency_rad = 3.0;
  swing.harmonics = {{0.0, 0.8}};
  spec.joints[0].coordinates[0].motion = swing;
  spec.joints[0].initial_q = {0.0};
  spec.joints[0].initial_u = {2.4};

  const EnergyBalance balance = balance_of(spec, GetParam().name, 2e-3);

  EXPECT_GT(std::abs(balance.drives_J), 0.1);
  EXPECT_GT(balance.dissipated.dampers, 0.1);
  expect_rest_of_order(spec, GetParam(), [](Loads&) {});
}

INSTANTIATE_TEST_SUITE_P(All, EnergyAccountOf,
                         ::testing::ValuesIn(integrator_kinds().begin(), integrator_kinds().end()),
                         [](const auto& test) { return std::string(test.param.name); });

// A conservative four-bar: whatever its energy changes by is the projection's or the integrator's.
TEST(EnergyAccount, TheProjectionHasAnEntryOfItsOwn) {
  const ModelSpec spec = mechanisms::four_bar();
  const Model model = mechanisms::compiled(spec);
  Simulation simulation(model, "semi_implicit_euler", "auto");
  simulation.integrator->loops().keep_unprojected();
  EnergyAccount account(model);
  account.start(simulation.state);
  const double start_J = energy_of(simulation);
  double projected_J = 0.0;
  Workspace ws(model);
  const auto total_J = [&](const VectorX& q, const VectorX& v) {
    update_kinematics(model, q.data(), v.data(), 0.0, ws);
    return energy(model, q.data(), v.data(), ws).total_J();
  };
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(simulation.step(2e-3), StepStatus::kOk);
    account.add(simulation.state, simulation.loads, *simulation.integrator);
    const ConstraintProjection& loops = simulation.integrator->loops();
    projected_J +=
        total_J(simulation.state.q(), simulation.state.v()) - total_J(loops.unprojected_q(), loops.unprojected_v());
  }

  const EnergyBalance& balance = account.balance();

  EXPECT_GT(std::abs(projected_J), 1e-3);
  EXPECT_NEAR(balance.projection_J, projected_J, 1e-9);
  EXPECT_NEAR(balance.projection_J + balance.rest_J, energy_of(simulation) - start_J, 1e-9);
}

TEST(EnergyAccount, WhatCreatesEnergyIsNamed) {
  EnergyBalance balance;
  balance.rest_J = -1.0;
  balance.dissipated.friction = 3.0;
  EXPECT_EQ(largest_source(balance).created_J, 0.0);

  balance.projection_J = 0.5;
  EXPECT_EQ(largest_source(balance).name, "the projection");

  balance.dissipated.ropes = -0.7;
  EXPECT_EQ(largest_source(balance).name, "ropes");
  EXPECT_DOUBLE_EQ(largest_source(balance).created_J, 0.7);

  balance.rest_J = 2.0;
  EXPECT_EQ(largest_source(balance).name, "the integrator");
}

// A body on a ball that slides, at 20 rad/s: semi-implicit Euler gives it energy.
TEST(EnergyAccount, AnIntegratorThatCreatesEnergyIsNamed) {
  ModelSpec spec = mechanisms::free_body();
  spec.gravity = Vector3::Zero();
  spec.bodies[0].inertia = Vector3(0.01, 0.02, 0.028).asDiagonal();
  spec.joints[0].initial_u = {0.0, 0.0, 0.0, 0.2, 20.0, 0.1};
  spec = mechanisms::on_a_carriage(spec);

  const EnergyBalance balance = balance_of(spec, "semi_implicit_euler", 1e-3);

  EXPECT_EQ(largest_source(balance).name, "the integrator");
  EXPECT_GT(largest_source(balance).created_J, 1e-3);
  EXPECT_LT(largest_source(balance_of(spec, "rk4", 1e-3)).created_J, 1e-7);
}

PlantSpec accounted_pendulum() {
  PlantSpec spec = plants::driven_pendulum();
  spec.accounts_energy = true;
  return spec;
}

TEST(PlantAccount, AStepWithItDoesNotAllocate) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  const auto plant = plants::made(model, accounted_pendulum());
  State state = plant->initial_state();
  ASSERT_EQ(plant->step(plants::input_of(*plant, 3.0), state), StepStatus::kOk);

  const AllocationCount allocations;
  for (int i = 0; i < 10; ++i) plant->step(plants::input_of(*plant, 3.0), state);

  EXPECT_EQ(allocations.value(), 0);
  EXPECT_NE(plant->energy()->actuators_J, 0.0);
}

TEST(PlantAccount, DoesNotChangeTheMotion) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  const auto with = plants::made(model, accounted_pendulum());
  const auto without = plants::made(model, plants::driven_pendulum());
  State a = with->initial_state();
  State b = without->initial_state();

  for (int i = 0; i < 500; ++i) {
    with->step(plants::input_of(*with, 5.0), a);
    without->step(plants::input_of(*without, 5.0), b);
  }

  EXPECT_EQ(a.block(), b.block());
  EXPECT_EQ(without->energy(), nullptr);
}

TEST(PlantAccount, BeginsAnewWithAStateFromOutside) {
  const Model model = mechanisms::compiled(mechanisms::pendulum());
  const auto plant = plants::made(model, accounted_pendulum());
  State state = plant->initial_state();
  for (int i = 0; i < 100; ++i) plant->step(plants::input_of(*plant, 5.0), state);
  const double before_J = plant->energy()->actuators_J;
  const State kept = state;
  for (int i = 0; i < 100; ++i) plant->step(plants::input_of(*plant, 5.0), state);
  EXPECT_EQ(plant->energy()->since_s, 0.0);

  state = kept;
  plant->step(plants::input_of(*plant, 5.0), state);

  EXPECT_NEAR(plant->energy()->since_s, 0.1, 1e-9);
  EXPECT_LT(std::abs(plant->energy()->actuators_J), std::abs(before_J));
}

}  // namespace
}  // namespace kinloop
