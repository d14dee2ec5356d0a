// Tests that matrices of a linearisation are good for what they are made for: a regulator that balances a pole.
#include <gtest/gtest.h>

#include <cmath>

#include "core/analysis/linearize.hpp"
#include "core/analysis/modes.hpp"
#include "core/analysis/state_chart.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/step_differences.hpp"

namespace kinloop {
namespace {

/// Of the discrete Riccati equation, by doubling.
MatrixX gain(const MatrixX& A, const MatrixX& B, const MatrixX& Q, const MatrixX& R) {
  const MatrixX one = MatrixX::Identity(A.rows(), A.rows());
  MatrixX a = A, g = B * dense::solve_symmetric(R, B.transpose()), P = Q;
  for (int i = 0; i < 40; ++i) {
    const MatrixX w = dense::inverse(one + g * P);
    const MatrixX next_P = P + a.transpose() * P * w * a;
    g += a * w * g * a.transpose();
    a = a * w * a;
    P = next_P;
  }
  return dense::solve_symmetric(R + B.transpose() * P * B, B.transpose() * P * A);
}

/// The cart pushed through a belt: force behind a delay and a lag.
PlantSpec belt() {
  PlantSpec spec;
  spec.levels = {{"auto", "rk4", 1, {}}};
  ActuatorSpec force;
  force.name = "belt";
  force.joint = "rail";
  force.chain.lower = -30.0;
  force.chain.upper = 30.0;
  force.chain.delay_s = 2e-3;
  force.chain.lag_s = 4e-3;
  spec.actuators = {force};
  return spec;
}

TEST(Balancing, ARegulatorFromTheMatricesKeepsAPoleUpright) {
  ModelSpec spec = mechanisms::config("cart_pole");
  spec.joints[1].initial_q = {0.0};
  const Model upright = mechanisms::compiled(spec);
  const auto at_rest = plants::made(upright, belt());
  const Result<Linearization> l = linearize(*at_rest, at_rest->initial_state(), plants::input_of(*at_rest, 0.0));
  ASSERT_TRUE(l);
  VectorX weights = VectorX::Constant(l->A.rows(), 1e-3);
  weights[index_of(l->states, "q.rail")] = 10.0;
  weights[index_of(l->states, "q.hinge")] = 100.0;
  const MatrixX K = gain(l->A, l->B, weights.asDiagonal(), MatrixX::Identity(1, 1));
  const Model model = mechanisms::compiled(mechanisms::config("cart_pole"));  // 5 degrees off
  const auto plant = plants::made(model, belt());
  State state = plant->initial_state();
  Result<StateChart> chart = StateChart::make(*plant, state);
  ASSERT_TRUE(chart);

  double furthest_rad = 0.0;
  for (int i = 0; i < 20000; ++i) {
    const double command = -(K * chart->read(state))(0);
    ASSERT_TRUE(is_done(plant->step(plants::input_of(*plant, command), state)));
    if (i > 10000) furthest_rad = std::max(furthest_rad, std::abs(state.q()[1]));
  }

  EXPECT_GT(modes(l->A, l->dt_s).front().eigenvalue.real(), 1.001);  // it would fall
  EXPECT_LT(std::abs(modes(l->A - l->B * K, l->dt_s).front().eigenvalue), 1.0);
  EXPECT_LT(furthest_rad, 0.02);
}

}  // namespace
}  // namespace kinloop
