// The recursion for reactions against the independent solver that made the vectors: values, and which are unique.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/dynamics/forward_dynamics.hpp"
#include "core/dynamics/reactions/reaction_sweep.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop {
namespace {

class ReactionVectors : public testing::TestWithParam<std::string> {};

TEST_P(ReactionVectors, AreMetByTheRecursion) {
  const LoadedModel file = test::load_vectors(GetParam());
  const Model& model = file.model;
  const auto dynamics = std::move(make_dynamics("auto", model)).value();
  ReactionSweep sweep(model);
  Workspace ws(model);
  State state(model);
  int compared = 0;
  for (const VectorCase& one : file.cases) {
    state.q() = Eigen::Map<const VectorX>(one.q.data(), model.nq());
    state.v() = Eigen::Map<const VectorX>(one.u.data(), model.nv());
    Loads loads(model);
    loads.tau = Eigen::Map<const VectorX>(one.tau.data(), model.nv());
    for (const AppliedWrench& wrench : one.external) {
      loads.wrenches.push_back({model.find_body(wrench.body), wrench.point, wrench.force, wrench.moment});
    }
    ASSERT_EQ(accelerations(model, state, loads, *dynamics, ws), StepStatus::kOk);

    ASSERT_TRUE(sweep.update(model, ws));

    double largest = 1.0;
    for (const ExpectedReaction& expected : one.expected.reactions) {
      largest = std::max({largest, expected.force.norm(), expected.moment.norm()});
    }
    for (const ExpectedReaction& expected : one.expected.reactions) {
      const int k = model.find_joint(expected.joint);
      const auto loop = std::find_if(model.loops().begin(), model.loops().end(),
                                     [&](const LoopJoint& l) { return l.name == expected.joint; });
      ASSERT_TRUE(k >= 0 || loop != model.loops().end());
      const Reaction& actual = k >= 0 ? sweep.joint(k) : sweep.loop(static_cast<int>(loop - model.loops().begin()));
      EXPECT_EQ(actual.unique, expected.unique) << expected.joint;
      for (int i = 0; i < 6; ++i) {
        if (!expected.unique[static_cast<std::size_t>(i)]) continue;
        const double value = i < 3 ? expected.force[i] : expected.moment[i - 3];
        EXPECT_NEAR(actual.component(i), value, 1e-9 * largest) << expected.joint << ' ' << i;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(All, ReactionVectors, testing::ValuesIn(test::vector_names()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace kinloop
