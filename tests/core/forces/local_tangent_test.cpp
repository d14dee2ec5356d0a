// Tests tangents of joints and products without a matrix against the matrices of ForceTangent.
#include "core/forces/local_tangent.hpp"

#include <gtest/gtest.h>

#include "core/forces/force_element.hpp"
#include "core/forces/force_tangent.hpp"
#include "core/forces/tangent_operator.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/stiff_mechanism.hpp"

namespace kinloop {
namespace {

TEST(LocalTangent, IsThatOfTheMatrices) {
  constexpr double g_s = 0.7;  // so that neither stiffness nor damping is lost beside the other
  Random random(5);
  int full = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    ModelSpec spec = mechanisms::stiff_mechanism(seed, {.far_elements = false});
    spec.springs.clear();  // whose matrix knows the stiffness of a taut string against inboard turns too
    spec.ropes.clear();
    const Model model = mechanisms::compiled(spec);
    const State state(model);
    Workspace ws(model);
    update_kinematics(model, state, ws);
    LocalTangent local(model);
    ForceTangent tangent(model);

    VectorX r_q(model.nv());
    VectorX r_v(model.nv());
    for (VectorX* r : {&r_q, &r_v}) {
      for (double& entry : *r) entry = random.uniform(-1.0, 1.0);
    }

    ASSERT_TRUE(local.update(model, state.q().data(), state.v().data(), {g_s, r_q, r_v}, ws));
    tangent.update(model, state.q().data(), state.v().data(), ws);

    MatrixX inertia = local.inertia().asDiagonal();
    for (const JointBlock& block : local.blocks()) {
      if (block.is_full) ++full;
      for (int i = 0; i < block.speeds; ++i) {
        for (int j = 0; j < block.speeds; ++j) {
          if (i != j) inertia(block.first + i, block.first + j) = block.inertia(i, j);
        }
      }
    }
    const MatrixX expected = g_s * (tangent.C() + g_s * tangent.K());
    const VectorX force = tangent.K() * r_q + (tangent.C() + g_s * tangent.K()) * r_v;
    EXPECT_LT((inertia - expected).cwiseAbs().maxCoeff(), 1e-12 * (1.0 + expected.cwiseAbs().maxCoeff())) << seed;
    EXPECT_LT((local.force() - force).cwiseAbs().maxCoeff(),
              1e-12 * (1.0 + tangent.K().cwiseAbs().maxCoeff() + tangent.C().cwiseAbs().maxCoeff()))
        << seed;
  }
  EXPECT_GT(full, 10);
}

TEST(LocalTangent, RefusesElementsThatReachFurther) {
  ModelSpec spec = mechanisms::chain(3);
  const Model plain = mechanisms::compiled(spec);
  SpringSpec spring{"far", "bar0", "bar2", Vector3::Zero(), Vector3(0.0, 0.0, -0.5), 1e3, 1.0, 0.0, 0.0};
  spec.springs = {spring};
  const Model model = mechanisms::compiled(spec);
  const State state(model);
  Workspace ws(model);
  update_kinematics(model, state, ws);
  LocalTangent local(model);

  const VectorX zero = VectorX::Zero(model.nv());

  EXPECT_FALSE(local.update(model, state.q().data(), state.v().data(), {1e-3, zero, zero}, ws));
  const auto far = far_element(model, state.q().data(), state.v().data(), ws);
  ASSERT_TRUE(far.has_value());
  EXPECT_EQ(std::minmax(far->body_a, far->body_b), std::minmax(1, 3));
  EXPECT_FALSE(far_element(plain, state.q().data(), state.v().data(), ws).has_value());
}

TEST(TangentOperator, IsTheProductWithTheMatrices) {
  Random random(9);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Model model = mechanisms::compiled(mechanisms::stiff_mechanism(seed));
    const State state(model);
    Workspace ws(model);
    update_kinematics(model, state, ws);
    ForceTangent tangent(model);
    tangent.update(model, state.q().data(), state.v().data(), ws);
    TangentOperator products(model);
    for (const ForceElementKind* kind : force_element_kinds()) {
      kind->add_tangents(model, state.q().data(), state.v().data(), ws, products);
    }
    VectorX x(model.nv());
    for (double& entry : x) entry = random.uniform(-1.0, 1.0);
    const double size = 1.0 + tangent.K().cwiseAbs().maxCoeff() + tangent.C().cwiseAbs().maxCoeff();

    using Part = TangentOperator::Part;
    EXPECT_LT((products.times(Part::kStiffness, model, ws, x) - tangent.K() * x).norm(), 1e-12 * size) << seed;
    EXPECT_LT((products.times(Part::kDamping, model, ws, x) - tangent.C() * x).norm(), 1e-12 * size) << seed;
  }
}

}  // namespace
}  // namespace kinloop
