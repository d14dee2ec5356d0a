// Tests the reference of the sweep against values from outside.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/adversary/reference.hpp"
#include "tests/adversary/singular_values.hpp"
#include "tests/support/random.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop::adversary {
namespace {

Situation situation_of_case(const VectorCase& stored) {
  const auto vector = [](const std::vector<double>& values) {
    return VectorXR(Eigen::Map<const VectorX>(values.data(), static_cast<Eigen::Index>(values.size())).cast<Real>());
  };
  Situation now{vector(stored.q), vector(stored.u), 0, vector(stored.tau), {}};
  for (const AppliedWrench& wrench : stored.external) {
    now.wrenches.push_back({wrench.body, wrench.point, wrench.force, wrench.moment});
  }
  return now;
}

class ReferenceVectors : public testing::TestWithParam<std::string> {};

TEST_P(ReferenceVectors, AreMetByTheReference) {
  constexpr double kTolerance = 1e-9;  // the limit the vectors themselves suggest
  const LoadedModel file = test::load_vectors(GetParam());
  const ModelSpec& spec = file.model.spec();
  const Topology topology(spec);

  for (const VectorCase& stored : file.cases) {
    const Reference reference = solve_reference(spec, topology, situation_of_case(stored));

    ASSERT_EQ(reference.verdict, Verdict::kRegular) << name_of(reference.verdict);
    double most = 1.0, error = 0.0;
    for (std::size_t i = 0; i < stored.expected.udot.size(); ++i) {
      most = std::max(most, std::abs(stored.expected.udot[i]));
      const auto own = static_cast<double>(reference.vdot[static_cast<Eigen::Index>(i)]);
      error = std::max(error, std::abs(own - stored.expected.udot[i]));
    }
    EXPECT_LT(error / most, kTolerance);
    EXPECT_EQ(reference.dofs, stored.expected.dof);
  }
}

TEST_P(ReferenceVectors, HaveTheEnergyOfTheReference) {
  constexpr double kTolerance = 1e-12;
  const LoadedModel file = test::load_vectors(GetParam());
  const Topology topology(file.model.spec());

  for (const VectorCase& stored : file.cases) {
    const EnergyR energy = energy_of(file.model.spec(), topology, situation_of_case(stored));

    const double size = std::max({1.0, stored.expected.kinetic_energy, std::abs(stored.expected.potential_energy)});
    EXPECT_NEAR(static_cast<double>(energy.kinetic), stored.expected.kinetic_energy, kTolerance * size);
    EXPECT_NEAR(static_cast<double>(energy.potential), stored.expected.potential_energy, kTolerance * size);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReferenceVectors, testing::ValuesIn(test::vector_names()),
                         [](const auto& of) { return of.param; });

TEST(SingularValues, GiveTheMatrixBack) {
  Random random(3);
  for (const auto& [rows, columns] : {std::pair{7, 4}, std::pair{4, 7}, std::pair{5, 5}}) {
    MatrixXR A(rows, columns);
    for (Eigen::Index i = 0; i < A.size(); ++i) A.data()[i] = static_cast<Real>(random.uniform(-1.0, 1.0));

    const SingularValues values = singular_values(A);

    const MatrixXR back = values.U * values.sigma.asDiagonal() * values.V.transpose();
    EXPECT_LT(static_cast<double>((back - A).cwiseAbs().maxCoeff()), 1e-17);
  }
}

}  // namespace
}  // namespace kinloop::adversary
