// Tests increments of the configuration: exponential, logarithm and rate belong together.
#include "core/kinematics/configuration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/mechanisms.hpp"

namespace kinloop {
namespace {

constexpr double kRounding = 1e-14;

class ConfigurationTest : public ::testing::Test {
 protected:
  ConfigurationTest() {
    mechanisms::randomize(model_, random_, state_);
    for (double& entry : increment_) entry = random_.uniform(-0.8, 0.8);
  }

  Model model_ = mechanisms::compiled(mechanisms::random_tree(11, 22, {.shuffled = true}));
  Random random_{3};
  State state_{model_};
  VectorX increment_ = VectorX::Zero(model_.nv());
};

TEST_F(ConfigurationTest, DifferenceUndoesAdvance) {
  VectorX q(model_.nq());
  VectorX found(model_.nv());

  advance_configuration(model_, state_.q().data(), increment_.data(), q.data());
  configuration_difference(model_, state_.q().data(), q.data(), found.data());

  EXPECT_LT((found - increment_).cwiseAbs().maxCoeff(), kRounding);
}

// On both sides of where the series end, and at zero.
TEST_F(ConfigurationTest, DifferenceUndoesAdvanceOfEverySize) {
  for (const double size : {0.0, 1e-12, 1e-6, 0.01, 0.19, 0.2, 0.21, 1.0}) {
    VectorX q(model_.nq());
    VectorX found(model_.nv());
    const VectorX increment = size * increment_;

    advance_configuration(model_, state_.q().data(), increment.data(), q.data());
    configuration_difference(model_, state_.q().data(), q.data(), found.data());

    EXPECT_LT((found - increment).cwiseAbs().maxCoeff(), kRounding) << size;
  }
}

// Samples of a motion that bends: from one before to one behind, the series misses a term of order 5 in their distance.
TEST_F(ConfigurationTest, IncrementsBetweenSamplesAreThoseOfTheConfigurations) {
  VectorX bend(model_.nv());
  for (double& entry : bend) entry = random_.uniform(-1.0, 1.0);
  double before = 0.0;
  for (const double h : {0.2, 0.1, 0.05}) {
    const VectorX a = h * increment_ + h * h * bend;
    const VectorX b = -h * increment_ + h * h * bend;
    VectorX q_a(model_.nq());
    VectorX q_b(model_.nq());
    VectorX expected(model_.nv());
    VectorX found(model_.nv());
    advance_configuration(model_, state_.q().data(), a.data(), q_a.data());
    advance_configuration(model_, state_.q().data(), b.data(), q_b.data());
    configuration_difference(model_, q_a.data(), q_b.data(), expected.data());

    increment_between(model_, a, b, found);

    const double error = (found - expected).cwiseAbs().maxCoeff();
    EXPECT_LT(error, std::pow(h, 5)) << h;
    if (before > 0.0) {
      EXPECT_LT(error, before / 24.0) << h;
    }
    before = error;
  }
}

TEST_F(ConfigurationTest, DifferenceTakesTheShorterWay) {
  VectorX q = state_.q();
  const BodyConstants& body = model_.body(model_.quaternion_bodies()[0]);
  q.segment<4>(body.q + joint_kind(body.joint).quaternion) *= -1.0;
  VectorX found(model_.nv());

  configuration_difference(model_, state_.q().data(), q.data(), found.data());

  EXPECT_LT(found.cwiseAbs().maxCoeff(), kRounding);
}

TEST_F(ConfigurationTest, AdvanceKeepsUnitLengthEvenOfAWornQuaternion) {
  const BodyConstants& body = model_.body(model_.quaternion_bodies()[0]);
  const int place = body.q + joint_kind(body.joint).quaternion;
  state_.q().segment<4>(place) *= 1.001;
  VectorX q(model_.nq());

  advance_configuration(model_, state_.q().data(), increment_.data(), q.data());

  EXPECT_NEAR(q.segment<4>(place).norm(), 1.0, kRounding);
}

TEST_F(ConfigurationTest, AdvanceMayWriteWhereItReads) {
  VectorX apart(model_.nq());
  VectorX in_place = state_.q();

  advance_configuration(model_, state_.q().data(), increment_.data(), apart.data());
  advance_configuration(model_, in_place.data(), increment_.data(), in_place.data());

  EXPECT_EQ(apart, in_place);
}

// d/dt of (q0 + increment(t)) turns the body at v: two small steps from q0 + increment, by the rate and by v, agree.
TEST_F(ConfigurationTest, RateOfTheIncrementTurnsTheBodyAtItsSpeed) {
  for (const double size : {1e-9, 0.05, 0.12, 1.0, 2.0}) {
    const double h = 1e-5;
    const VectorX increment = size * increment_;
    VectorX rate(model_.nv());
    VectorX q(model_.nq()), by_speed(model_.nq()), back(model_.nq()), by_rate(model_.nq());
    VectorX difference(model_.nv());

    increment_rate(model_, increment.data(), state_.v().data(), rate.data());

    advance_configuration(model_, state_.q().data(), increment.data(), q.data());
    const VectorX forth = h * state_.v();
    const VectorX target = increment + h * rate;
    advance_configuration(model_, q.data(), forth.data(), by_speed.data());
    advance_configuration(model_, state_.q().data(), target.data(), by_rate.data());
    configuration_difference(model_, by_rate.data(), by_speed.data(), difference.data());
    EXPECT_LT(difference.cwiseAbs().maxCoeff(), 5.0 * h * h) << size;  // the second order is left
  }
}

}  // namespace
}  // namespace kinloop
