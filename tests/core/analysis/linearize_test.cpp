// Tests linearisations of open mechanisms and their actuators against equations solved by hand.
#include "core/analysis/linearize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/support/dense.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/step_differences.hpp"

namespace kinloop {
namespace {

using mechanisms::compiled;
using plants::input_of;
using plants::made;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kGravity = 9.81;
// Differences of a step that is exact to rounding, extrapolated from steps of about 1e-2.
constexpr double kDifferences = 1e-10;

PlantSpec linearize_pushed(const std::string& joint, const std::string& integrator) {
  PlantSpec spec;
  spec.levels = {{"auto", integrator, 1, {}}};
  ActuatorSpec force;
  force.name = "push";
  force.joint = joint;
  spec.actuators = {force};
  return spec;
}

SensorSpec sensor(const std::string& name, const std::string& signal) {
  SensorSpec spec;
  spec.name = name;
  spec.signal = signal;
  return spec;
}

Linearization linearize_linearized(Plant& plant, const State& state, double command,
                                   LinearizeMethod method = LinearizeMethod::kExact) {
  Result<Linearization> result = linearize(plant, state, input_of(plant, command), {method, {}});
  if (!result) require(false, (result.error().where + ": " + result.error().what).c_str());
  return std::move(result).value();
}

/// exp(F t) and its integral times G, by the series: F t is small.
struct Discrete {
  MatrixX A, B;
};
Discrete discretized(const MatrixX& F, const MatrixX& G, double t) {
  const Eigen::Index n = F.rows();
  MatrixX term = MatrixX::Identity(n, n);
  MatrixX A = term, integral = t * term;
  for (int k = 1; k < 30; ++k) {
    term = term * F * t / k;
    A += term;
    integral += term * t / (k + 1);
  }
  return {A, integral * G};
}

/// What a step of order 4 leaves out of the series.
double order_4_remainder(const MatrixX& F, double t) { return std::pow(F.norm() * t, 5) / 120.0; }

/// Of the pendulum: a rod of 1 m and 1 kg.
constexpr double kRodInertia = 1.0 / 3.0;

TEST(Linearize, APendulumBecomesTheExponentialOfItsLinearEquations) {
  for (const double q : {0.0, std::numbers::pi}) {  // hanging, standing
    ModelSpec spec = mechanisms::pendulum();
    spec.joints[0].initial_q = {q};
    const Model model = compiled(spec);
    const auto plant = made(model, linearize_pushed("to_rod", "rk4"));

    const Linearization l = linearize_linearized(*plant, plant->initial_state(), 0.0);

    const MatrixX F = (MatrixX(2, 2) << 0.0, 1.0, -std::cos(q) * kGravity * 0.5 / kRodInertia, 0.0).finished();
    const Discrete exact = discretized(F, VectorX::Unit(2, 1) / kRodInertia, 1e-3);
    EXPECT_THAT(l.states, ElementsAre("q.to_rod", "u.to_rod"));
    EXPECT_THAT(l.inputs, ElementsAre("push"));
    EXPECT_LT((l.A - exact.A).norm(), order_4_remainder(F, 1e-3) + kDifferences);
    EXPECT_LT((l.B - exact.B).norm(), order_4_remainder(F, 1e-3) + kDifferences);
    EXPECT_LT((l.x_next - l.x).norm(), 1e-15);
    EXPECT_EQ(l.dt_s, 1e-3);
    EXPECT_THAT(l.warnings, IsEmpty());
  }
}

TEST(Linearize, ACartWithAPoleBecomesTheExponentialOfItsLinearEquations) {
  ModelSpec spec = mechanisms::config("cart_pole");
  spec.joints[0].coordinates[0].dry_friction = 0.0;
  spec.joints[1].initial_q = {0.0};
  const Model model = compiled(spec);
  const auto plant = made(model, linearize_pushed("rail", "rk4"));

  const Linearization l = linearize_linearized(*plant, plant->initial_state(), 0.0);

  const double m_cart = 1.0, m_pole = 0.2, arm = 0.4, inertia = 0.2 * 0.8 * 0.8 / 12.0;
  MatrixX M(2, 2);
  M << m_cart + m_pole, m_pole * arm, m_pole * arm, inertia + m_pole * arm * arm;
  const Eigen::Vector2d stiffness(0.0, -m_pole * kGravity * arm), damping(0.5, 1e-3);
  MatrixX F = MatrixX::Zero(4, 4);
  F.topRightCorner(2, 2).setIdentity();
  const MatrixX M_inverse = dense::inverse(M);
  F.bottomLeftCorner(2, 2) = -M_inverse * stiffness.asDiagonal();
  F.bottomRightCorner(2, 2) = -M_inverse * damping.asDiagonal();
  MatrixX G = MatrixX::Zero(4, 1);
  G.bottomRows(2) = M_inverse.col(0);
  const Discrete exact = discretized(F, G, 1e-3);
  EXPECT_THAT(l.states, ElementsAre("q.rail", "q.hinge", "u.rail", "u.hinge"));
  EXPECT_LT((l.A - exact.A).norm(), order_4_remainder(F, 1e-3) + kDifferences);
  EXPECT_LT((l.B - exact.B).norm(), order_4_remainder(F, 1e-3) + kDifferences);
}

TEST(Linearize, AMassOnASpringBecomesTheStepOfItsIntegrator) {
  ModelSpec spec = mechanisms::config("cart_pole");
  spec.bodies.resize(1);
  spec.joints.resize(1);
  CoordinateSpec spring;
  spring.stiffness = 700.0;
  spring.damping = 3.0;
  spec.joints[0].coordinates = {spring};
  const Model model = compiled(spec);
  PlantSpec around = linearize_pushed("rail", "semi_implicit_euler");
  around.sensors = {sensor("place", "q.rail"), sensor("force", "force.push"), sensor("acceleration", "a.rail")};
  const auto plant = made(model, around);

  const Linearization l = linearize_linearized(*plant, plant->initial_state(), 2.0);

  const double h = 1e-3, k = 700.0, d = 3.0;  // of 1 kg
  const MatrixX A = (MatrixX(2, 2) << 1.0 - h * h * k, h - h * h * d, -h * k, 1.0 - h * d).finished();
  const MatrixX C = (MatrixX(3, 2) << 1.0, 0.0, 0.0, 0.0, -k, -d).finished();
  EXPECT_LT((l.A - A).norm(), kDifferences);
  EXPECT_LT((l.B - Eigen::Vector2d(h * h, h)).norm(), kDifferences);
  EXPECT_LT((l.C - C).norm(), kDifferences * k);
  EXPECT_LT((l.D - Eigen::Vector3d(0.0, 1.0, 1.0)).norm(), kDifferences);
  EXPECT_LT((l.x_next - A * l.x - l.B * 2.0).norm(), 1e-14);
  EXPECT_LT((l.y - (C * l.x_next + l.D * 2.0)).norm(), 1e-11);
}

TEST(Linearize, ForcesOfACraneAreNotLostInRounding) {
  ModelSpec spec = mechanisms::pendulum();
  spec.bodies[0].mass = 1e7;
  spec.bodies[0].inertia *= 1e7;
  spec.joints[0].initial_u = {1.0};
  const Model model = compiled(spec);
  const auto plant = made(model, linearize_pushed("to_rod", "semi_implicit_euler"));

  const Linearization l = linearize_linearized(*plant, plant->initial_state(), 0.0);

  const double per_force = 1e-3 / (1e7 * kRodInertia);
  EXPECT_NEAR(l.B(1, 0), per_force, 1e-9 * per_force);
}

TEST(Linearize, AMotorBehindDelayAndLagIsTheChainOfItsEquations) {
  ModelSpec spec = mechanisms::pendulum();
  spec.gravity.setZero();
  const Model model = compiled(spec);
  PlantSpec around = plants::driven_pendulum();
  around.levels = {{"auto", "semi_implicit_euler", 1, {}}};
  around.sensors.push_back(sensor("torque", "force.motor"));
  around.sensors.push_back(sensor("acceleration", "a.to_rod"));
  const auto plant = made(model, around);
  State state = plant->initial_state();
  for (int i = 0; i < 57; ++i) ASSERT_TRUE(is_done(plant->step(input_of(*plant, 0.1 * i), state)));

  const Linearization l = linearize_linearized(*plant, state, 3.0);

  // 2.5 ms of delay: half of the value two steps ago, half of the one before.
  ASSERT_THAT(l.states, ElementsAre("q.to_rod", "u.to_rod", "delay.motor.1", "delay.motor.2", "delay.motor.3",
                                    "lag.motor", "current.motor", "force.motor"));
  const double h = 1e-3, share = -std::expm1(-h / 5e-3), constants = h * 1.0 / 1e-3;
  const double kept = std::exp(-constants), mean = (1.0 - kept) / constants;
  VectorX lag = VectorX::Zero(8);
  lag << 0.0, 0.0, 0.0, 0.5 * share, 0.5 * share, 1.0 - share, 0.0, 0.0;
  const VectorX steady = lag - VectorX::Unit(8, 1);  // R = k_e = 1
  const VectorX current = (1.0 - kept) * steady + kept * VectorX::Unit(8, 6);
  const VectorX torque = (1.0 - mean) * steady + mean * VectorX::Unit(8, 6);
  const VectorX speed = VectorX::Unit(8, 1) + h / kRodInertia * torque;
  MatrixX A(8, 8);
  A.row(0) = VectorX::Unit(8, 0) + h * speed;
  A.row(1) = speed;
  A.row(2).setZero();
  A.row(3) = VectorX::Unit(8, 2);
  A.row(4) = VectorX::Unit(8, 3);
  A.row(5) = lag;
  A.row(6) = current;
  A.row(7) = torque;
  EXPECT_LT((l.A - A).cwiseAbs().maxCoeff(), kDifferences);
  EXPECT_LT((l.B - VectorX::Unit(8, 2)).norm(), kDifferences);
  EXPECT_LT((l.C.row(3) - VectorX::Unit(8, 7).transpose()).norm(), kDifferences);
  EXPECT_LT((l.C.row(4) - VectorX::Unit(8, 7).transpose() / kRodInertia).norm(), kDifferences);
  EXPECT_TRUE(l.D.isZero());
}

TEST(Linearize, SignalsFollowFromTheStateAtTheEndForEveryKindOfChain) {
  const Model model = compiled(mechanisms::double_pendulum());
  for (const double rate : {std::numeric_limits<double>::infinity(), 1e5}) {
    for (const double delay_s : {0.0, 0.4e-3, 2e-3}) {
      for (const double lag_s : {0.0, 3e-3}) {
        PlantSpec spec = linearize_pushed(model.speed_name(1), "rk4");
        spec.actuators[0].chain.rate_per_s = rate;
        spec.actuators[0].chain.delay_s = delay_s;
        spec.actuators[0].chain.lag_s = lag_s;
        spec.sensors = {sensor("force", "force.push"), sensor("acceleration", "a." + model.speed_name(0)),
                        sensor("tip", "acceleration.lower.x"), sensor("rate", "rate.lower.y")};
        const auto plant = made(model, spec);
        const State state = plant->initial_state();

        const Linearization l = linearize_linearized(*plant, state, 0.3);

        StepDifferences differences(*plant, state, input_of(*plant, 0.3), l);
        EXPECT_LT(row_wise_difference(whole(l), differences.all()), 1e-8) << rate << " " << delay_s << " " << lag_s;
      }
    }
  }
}

TEST(Linearize, TwoStepsAreTheProductOfTheirMatrices) {
  const Model model = compiled(mechanisms::double_pendulum());
  PlantSpec spec = linearize_pushed(model.speed_name(1), "rk4");
  spec.dt_s = 5e-3;
  spec.actuators[0].chain.lag_s = 0.01;
  const auto plant = made(model, spec);
  const State first = plant->initial_state();
  State second = first;
  ASSERT_TRUE(is_done(plant->step(input_of(*plant, 1.0), second)));

  const Linearization l1 = linearize_linearized(*plant, first, 1.0);
  const Linearization l2 = linearize_linearized(*plant, second, 1.0);

  StepDifferences differences(*plant, first, input_of(*plant, 1.0), l1);
  const MatrixX both = differences.all(2);
  EXPECT_LT(row_wise_difference(l2.A * l1.A, both.leftCols(l1.A.cols())), 1e-8);
  EXPECT_LT(row_wise_difference(l2.A * l1.B, both.rightCols(1)), 1e-8);
}

TEST(Linearize, BallAndFloatingJointsTurnAboutThePresentOrientation) {
  for (const ModelSpec& spec : {mechanisms::spherical_top(), mechanisms::free_body()}) {
    const Model model = compiled(spec);
    PlantSpec around;
    around.dt_s = 2e-2;
    around.levels = {{"auto", "rk4", 1, {}}};
    around.sensors = {sensor("place", "position." + model.body_name(1) + ".x")};
    const auto plant = made(model, around);
    const State state = plant->initial_state();

    const Linearization l = linearize_linearized(*plant, state, 0.0);

    EXPECT_EQ(l.A.rows(), 2 * model.nv());
    EXPECT_GE(index_of(l.states, "turn." + model.joint_name(1) + ".x"), 0);
    EXPECT_EQ(l.x[index_of(l.states, "turn." + model.joint_name(1) + ".z")], 0.0);
    StepDifferences differences(*plant, state, input_of(*plant, 0.0), l);
    EXPECT_LT(row_wise_difference(whole(l), differences.all()), 1e-8) << model.name();
  }
}

TEST(Linearize, TreesOfAllJointTypesAgreeWithPlainDifferences) {
  mechanisms::TreeOptions options;
  options.joint_forces = options.armature = options.driven = options.springs = options.shuffled = true;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Model model = compiled(mechanisms::random_tree(seed, 11, options));
    PlantSpec spec;
    spec.levels = {{"auto", "rk4", 1, {}}};
    const auto plant = made(model, spec);
    const State state = plant->initial_state();

    const Linearization l = linearize_linearized(*plant, state, 0.0);

    const auto driven = static_cast<Eigen::Index>(model.driven_speeds().size());
    EXPECT_EQ(l.A.rows(), 2 * (model.nv() - driven));
    StepDifferences differences(*plant, state, input_of(*plant, 0.0), l);
    EXPECT_LT(row_wise_difference(l.A, differences.all()), 1e-6) << "seed " << seed;
    EXPECT_LT(l.uncertainty, 1e-8);
  }
}

PlantSpec with_cylinder(const std::string& joint) {
  PlantSpec spec;
  spec.levels = {{"auto", "semi_implicit_euler", 2, {}}};
  PumpSpec pump;
  pump.name = "pump";
  spec.pumps = {pump};
  ActuatorSpec cylinder;
  cylinder.name = "ram";
  cylinder.joint = joint;
  cylinder.kind = ActuatorKind::kCylinder;
  cylinder.pump = "pump";
  cylinder.chain.lag_s = 0.02;
  cylinder.initial = 0.3;
  cylinder.cylinder.initial_a_Pa = 3e6;
  cylinder.cylinder.initial_b_Pa = 4e6;
  spec.actuators = {cylinder};
  spec.sensors = {sensor("force", "force.ram"), sensor("acceleration", "a." + joint), sensor("line", "pressure.pump")};
  return spec;
}

Model slide() {
  ModelSpec spec = mechanisms::config("cart_pole");
  spec.bodies[0].mass = 500.0;
  spec.joints[0].coordinates = {CoordinateSpec{}};
  spec.joints[0].initial_q = {0.4};
  return compiled(spec);
}

TEST(Linearize, ACylinderRemembersItsPressures) {
  const Model model = slide();
  const auto plant = made(model, with_cylinder("rail"));
  State state = plant->initial_state();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(is_done(plant->step(input_of(*plant, 0.3), state)));

  const Linearization l = linearize_linearized(*plant, state, 0.3);

  EXPECT_THAT(l.states, ElementsAre("q.rail", "q.hinge", "u.rail", "u.hinge", "lag.ram", "pressure_a.ram",
                                    "pressure_b.ram", "pressure.pump"));
  StepDifferences differences(*plant, state, input_of(*plant, 0.3), l);
  EXPECT_LT(row_wise_difference(whole(l), differences.all()), 1e-6);
  EXPECT_THAT(l.warnings, IsEmpty());
}

TEST(Linearize, AValveInItsMiddleHasAKink) {
  const Model model = slide();
  PlantSpec spec = with_cylinder("rail");
  spec.actuators[0].chain.lag_s = 0.0;
  const auto plant = made(model, spec);

  const State state = plant->initial_state();
  const Linearization exact = linearize_linearized(*plant, state, 0.0);
  const Linearization l = linearize_linearized(*plant, state, 0.0, LinearizeMethod::kDifferences);
  const Linearization beside = linearize_linearized(*plant, state, -1e-9);

  EXPECT_THAT(l.warnings, Contains(HasSubstr("ram: its effects to both sides differ")));
  EXPECT_THAT(exact.warnings, Contains(HasSubstr("ram: its valve just begins to open; these are the matrices of the "
                                                 "side that retracts")));
  EXPECT_LT(row_wise_difference(exact.B, beside.B), 1e-6);
}

TEST(Linearize, PredictionsAreWrongByTheSquareOfTheDisturbance) {
  const Model model = compiled(mechanisms::double_pendulum());
  PlantSpec spec = linearize_pushed(model.speed_name(1), "rk4");
  spec.dt_s = 0.05;
  const auto plant = made(model, spec);
  const State state = plant->initial_state();
  const Linearization l = linearize_linearized(*plant, state, 1.0);
  const auto error = [&](double size) {
    State moved = state;
    moved.q()[0] += size;
    moved.v()[1] -= size;
    EXPECT_TRUE(is_done(plant->step(input_of(*plant, 1.0 + size), moved)));
    const Eigen::Vector4d dx(size, 0.0, 0.0, -size);
    const Eigen::Vector4d after(moved.q()[0], moved.q()[1], moved.v()[0], moved.v()[1]);
    return (after - l.x_next - l.A * dx - l.B * size).norm();
  };

  const double coarse = error(0.02), fine = error(0.01);

  EXPECT_GT(coarse, 1e-9);
  EXPECT_NEAR(coarse / fine, 4.0, 0.3);
}

TEST(Linearize, TheGivenStateStaysAsItIs) {
  const Model model = compiled(mechanisms::pendulum());
  const auto plant = made(model, plants::driven_pendulum());  // ab3: with history
  State state = plant->initial_state();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(is_done(plant->step(input_of(*plant, 1.0), state)));
  const VectorX before = state.block();
  State other = state;

  const Linearization l = linearize_linearized(*plant, state, 1.0);

  EXPECT_EQ(state.block(), before);
  const auto fresh = made(model, plants::driven_pendulum());
  ASSERT_TRUE(is_done(plant->step(input_of(*plant, 1.0), state)));
  ASSERT_TRUE(is_done(fresh->step(input_of(*plant, 1.0), other)));
  EXPECT_EQ(state.block(), other.block());
  EXPECT_EQ(l.x_next.size(), l.x.size());
}

TEST(Linearize, SaysWhereACommandMeetsItsLimits) {
  const Model model = compiled(mechanisms::pendulum());
  PlantSpec spec = linearize_pushed("to_rod", "rk4");
  spec.actuators[0].chain.lower = -1.0;
  spec.actuators[0].chain.upper = 1.0;
  const auto plant = made(model, spec);
  const State state = plant->initial_state();

  const Linearization within = linearize_linearized(*plant, state, 0.999);
  const Linearization on = linearize_linearized(*plant, state, 1.0, LinearizeMethod::kDifferences);
  const Linearization exactly_on = linearize_linearized(*plant, state, 1.0);
  const Linearization beyond = linearize_linearized(*plant, state, 1.5);

  EXPECT_THAT(within.warnings, IsEmpty());
  EXPECT_THAT(on.warnings, Contains(HasSubstr("push: the command stands on its limit")));
  EXPECT_THAT(beyond.warnings, ElementsAre(HasSubstr("push: the command lies beyond its limits")));
  EXPECT_TRUE(beyond.B.isZero());
  EXPECT_NEAR(on.B(1, 0), 0.5 * within.B(1, 0), 1e-6 * within.B(1, 0));
  EXPECT_THAT(exactly_on.warnings, Contains(HasSubstr("push: these are the matrices of the side within its limit")));
  EXPECT_NEAR(exactly_on.B(1, 0), within.B(1, 0), 1e-6 * within.B(1, 0));
}

TEST(Linearize, GivesBothSidesOfAnEdge) {
  ModelSpec stopped = mechanisms::pendulum();
  stopped.joints[0].initial_q = {0.3};
  stopped.joints[0].coordinates.resize(1);
  stopped.joints[0].coordinates[0].limit = LimitSpec{-1.0, 0.3, 1e3, 10.0};
  const Model model = compiled(stopped);
  PlantSpec spec = linearize_pushed("to_rod", "rk4");
  spec.actuators[0].chain.lower = -1.0;
  spec.actuators[0].chain.upper = 1.0;
  const auto plant = made(model, spec);
  const State state = plant->initial_state();
  const auto at_side = [&](LinearizeSide side) {
    const auto l = linearize(*plant, state, input_of(*plant, 1.0), {LinearizeMethod::kExact, {}, {}, side});
    EXPECT_TRUE(l) << (l ? "" : l.error().what);
    return *l;
  };

  const Linearization below = at_side(LinearizeSide::kBelow);
  const Linearization above = at_side(LinearizeSide::kAbove);

  EXPECT_GT(below.B(1, 0), 0.0);                  // the command is within its limit, the joint off its stop
  EXPECT_TRUE(above.B.isZero());                  // beyond
  EXPECT_LT(above.A(1, 0), below.A(1, 0) - 0.1);  // the stop holds
  EXPECT_LT(below.x[0], above.x[0]);
  EXPECT_NEAR(below.x[0], above.x[0], 1e-7);
}

TEST(Linearize, SaysWhereARateLimitHoldsACommandBack) {
  const Model model = compiled(mechanisms::pendulum());
  PlantSpec spec = linearize_pushed("to_rod", "rk4");
  spec.actuators[0].chain.rate_per_s = 100.0;
  const auto plant = made(model, spec);
  const State state = plant->initial_state();

  const Linearization held = linearize_linearized(*plant, state, 1.0);
  const Linearization free = linearize_linearized(*plant, state, 0.05);

  EXPECT_THAT(held.warnings, ElementsAre(HasSubstr("push: the rate limit holds the command back")));
  EXPECT_TRUE(held.B.isZero());
  EXPECT_THAT(free.warnings, IsEmpty());
  EXPECT_NEAR(free.B(1, 0), 1e-3 / kRodInertia, 1e-6);
  EXPECT_NEAR(free.B(index_of(free.states, "rate.push"), 0), 1.0, kDifferences);
}

TEST(Linearize, SharpFrictionAtRestIsLinearOnASmallScaleAndSaysSo) {
  ModelSpec spec = mechanisms::config("cart_pole");
  spec.joints[1].initial_q = {0.0};
  const Model model = compiled(spec);  // 0.3 N over 5 mm/s
  const auto plant = made(model, linearize_pushed("rail", "rk4"));
  const State state = plant->initial_state();

  const Linearization l = linearize_linearized(*plant, state, 0.0);

  ModelSpec viscous = spec;
  viscous.joints[0].coordinates[0].dry_friction = 0.0;
  viscous.joints[0].coordinates[0].damping += 0.3 / 5e-3;
  const Model smooth = compiled(viscous);
  const auto reference = made(smooth, linearize_pushed("rail", "rk4"));
  EXPECT_LT((l.A - linearize_linearized(*reference, reference->initial_state(), 0.0).A).norm(), 1e-8);
  EXPECT_THAT(l.warnings, ElementsAre(HasSubstr("rail: rests in its dry friction")));
}

TEST(Linearize, AnEndStopThatIsJustTouchedIsAKink) {
  ModelSpec spec = mechanisms::config("cart_pole");
  spec.joints[0].coordinates[0].dry_friction = 0.0;
  spec.joints[0].initial_q = {1.2};
  spec.joints[1].initial_q = {0.0};  // nothing moves the cart
  const Model model = compiled(spec);
  const auto plant = made(model, linearize_pushed("rail", "rk4"));

  const State state = plant->initial_state();
  const Linearization exact = linearize_linearized(*plant, state, 0.0);
  const Linearization l = linearize_linearized(*plant, state, 0.0, LinearizeMethod::kDifferences);

  EXPECT_THAT(l.warnings, Contains(HasSubstr("q.rail: its effects to both sides differ")));
  EXPECT_THAT(exact.warnings, Contains(HasSubstr("q.rail: an end stop is just touched; these are the matrices of the "
                                                 "side on which it does not push")));
}

TEST(Linearize, WhatIsNoInputForThePlantIsAnError) {
  const Model model = compiled(mechanisms::pendulum());
  const auto plant = made(model, plants::driven_pendulum());
  State state = plant->initial_state();
  const StepInput good = input_of(*plant, 0.0);
  StepInput few = good, high = good, endless = good, frozen = good;
  few.count = 0;
  high.level = 2;
  endless.command[0] = std::numeric_limits<double>::quiet_NaN();
  frozen.frozen = 1;

  EXPECT_EQ(linearize(*plant, state, few).error().where, "commands");
  EXPECT_EQ(linearize(*plant, state, high).error().where, "level");
  EXPECT_EQ(linearize(*plant, state, endless).error().what, "must be finite");
  EXPECT_THAT(linearize(*plant, state, frozen).error().what, HasSubstr("stands still"));
  state.q()[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(linearize(*plant, state, good).error().where, "state");
}

}  // namespace
}  // namespace kinloop
