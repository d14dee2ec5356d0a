// Tests implicit steps of joints with several speeds: the recursion's answer is that of the dense matrix.
#include "core/integrators/joint_basis.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/linkages.hpp"
#include "tests/support/random_matrix.hpp"
#include "tests/support/simulation.hpp"
#include "tests/support/stiff_mechanism.hpp"

namespace kinloop {
namespace {

/// A formulation that takes no inertia along speeds: an implicit step has to assemble its matrix.
class WithoutArmature final : public Dynamics {
 public:
  explicit WithoutArmature(const Model& model) : inner_(std::move(make_dynamics("auto", model)).value()) {}

  std::string_view name() const noexcept override { return inner_->name(); }
  StepStatus solve(const Model& model, Workspace& ws) noexcept override { return inner_->solve(model, ws); }
  bool takes_armature(const VectorX& added) const noexcept override { return added.isZero(0.0); }
  void freeze_basis() noexcept override { inner_->freeze_basis(); }
  void release_basis() noexcept override { inner_->release_basis(); }
  void solve_dependents(VectorX& q) noexcept override { inner_->solve_dependents(q); }
  void project(const ConstraintTarget& motion, VectorX& step) noexcept override { inner_->project(motion, step); }

 private:
  std::unique_ptr<Dynamics> inner_;
};

TEST(JointBasis, MakesAnInertiaDiagonal) {
  const Model model = mechanisms::compiled(mechanisms::free_body());
  Random random(3);
  for (int draw = 0; draw < 300; ++draw) {
    const int rank = 1 + draw % 6;
    Matrix6 B = Matrix6::Zero();
    for (int i = 0; i < rank; ++i) {
      Vector6 x;
      for (double& entry : x) entry = random.uniform(-1.0, 1.0);
      B += std::pow(10.0, random.uniform(-3.0, 6.0)) * x * x.transpose();
    }
    JointBasis basis(model);
    JointMatrix padded = JointMatrix::Zero();
    padded.topRows<6>() = B;

    basis.add(0, 6, padded);

    // The kinetic energy of y, by the armature of the basis, is that of u = T y.
    Workspace ws(model);
    ws.tau.setZero();
    basis.enter(ws);
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) {
        VectorX a = VectorX::Unit(6, i);
        VectorX b = VectorX::Unit(6, j);
        basis.leave(a);
        basis.leave(b);
        EXPECT_NEAR(a.dot(B * b), i == j ? ws.armature[i] : 0.0, 1e-9 * B.trace()) << rank;
        EXPECT_LE(a.cwiseAbs().maxCoeff(), 32.0);
      }
    }
  }
}

/// Without the projection, which weighs its changes with the inertia at hand: it has another one with the matrix.
void expect_the_steps_of_the_dense_matrix(const ModelSpec& spec, double dt_s) {
  const Model model = mechanisms::compiled(spec);
  if (model.nv() == 0) return;
  Simulation recursive(model, "linearly_implicit", "auto");
  Simulation dense(model, "linearly_implicit", "auto");
  WithoutArmature without(model);
  for (Simulation* each : {&recursive, &dense}) {
    each->integrator->loops().settings().kind = StabilizationKind::kNone;
    each->integrator->loops().settings().max_open = 1.0;
  }
  for (int i = 0; i < 10; ++i) {
    const StepStatus status = recursive.step(dt_s);
    ASSERT_EQ(status, dense.integrator->step(model, dense.loads, dt_s, without, dense.state, dense.ws)) << spec.name;
    if (!is_done(status)) return;
    const double size = 1.0 + dense.state.v().cwiseAbs().maxCoeff();
    ASSERT_LT((recursive.state.v() - dense.state.v()).cwiseAbs().maxCoeff(), 1e-6 * size) << spec.name << ' ' << i;
  }
}

/// Stiff in the range that both can still resolve: 1e12 N/m on 1 g is rounding.
ModelSpec bounded(ModelSpec spec) {
  const auto bound = [](double& x) { x = std::min(x, 1e7); };
  for (JointSpec& joint : spec.joints) {
    for (CoordinateSpec& c : joint.coordinates) {
      for (double* x : {&c.stiffness, &c.damping}) bound(*x);
      c.limit.reset();  // a stop that is met in one of the runs a step earlier
      c.dry_friction = 0.0;
    }
  }
  spec.springs.clear();  // across several joints the dense matrix knows the string's stiffness of inboard turns too
  spec.ropes.clear();
  for (BushingSpec& bushing : spec.bushings) {
    for (int i = 0; i < 3; ++i) {
      for (Vector3* x :
           {&bushing.stiffness, &bushing.damping, &bushing.rotational_stiffness, &bushing.rotational_damping}) {
        bound((*x)[i]);
      }
    }
  }
  return spec;
}

TEST(JointBasis, GivesTheStepsOfTheDenseMatrixInTrees) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    expect_the_steps_of_the_dense_matrix(bounded(mechanisms::stiff_mechanism(seed, {.far_elements = false})), 1e-3);
  }
}

TEST(JointBasis, GivesTheStepsOfTheDenseMatrixInLoops) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    expect_the_steps_of_the_dense_matrix(
        bounded(mechanisms::stiff_mechanism(seed, {.loops = true, .far_elements = false})), 1e-3);
  }
}

}  // namespace
}  // namespace kinloop
