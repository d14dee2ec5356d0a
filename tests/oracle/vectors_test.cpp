// Every formulation against an independent solver: accelerations, motions, reactions and energies of all stored trees.
#include <gtest/gtest.h>

#include "services/cli/vector_comparison.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop {
namespace {

// The limit the vectors themselves suggest; they agree with two further solvers to better than 1e-12.
constexpr double kTolerance = 1e-9;

class Vectors : public testing::TestWithParam<std::string> {};

TEST_P(Vectors, AreMetByEveryFormulationThatApplies) {
  const LoadedModel file = test::load_vectors(GetParam());
  int evaluated = 0;
  for (const DynamicsKind& kind : dynamics_kinds()) {
    const auto dynamics = make_dynamics(kind.name, file.model);
    if (!dynamics) {
      EXPECT_FALSE(kind.refusal(file.model).empty());
      continue;
    }

    const VectorComparison comparison = compare_with_vectors(file, **dynamics);

    ++evaluated;
    ASSERT_EQ(comparison.status, StepStatus::kOk) << kind.name;
    ASSERT_TRUE(comparison.errors.udot && comparison.errors.motion && comparison.errors.acceleration &&
                comparison.errors.reactions && comparison.errors.energy);
    EXPECT_EQ(comparison.errors.skipped, 0) << "every row of the file is compared";
    EXPECT_EQ((*dynamics)->report().fallbacks, 0) << kind.name << " answers itself";
    EXPECT_LT(*comparison.errors.udot, kTolerance) << kind.name;
    EXPECT_LT(*comparison.errors.motion, kTolerance) << kind.name;
    EXPECT_LT(*comparison.errors.acceleration, kTolerance) << kind.name;
    EXPECT_LT(*comparison.errors.reactions, kTolerance) << kind.name;
    EXPECT_LT(*comparison.errors.energy, kTolerance) << kind.name;
  }
  if (!file.model.has_loops()) {
    EXPECT_GE(evaluated, 4) << "the methods for trees";
  }
}

INSTANTIATE_TEST_SUITE_P(All, Vectors, testing::ValuesIn(test::vector_names()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace kinloop
