// Sine and cosine of many angles, and the factorization along a tree.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/math/sincos.hpp"
#include "core/math/tree_factorization.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/random.hpp"

namespace kinloop {
namespace {

TEST(Sincos, IsWithinTwoUlpOfTheExactValue) {
  Random random(1);
  std::vector<double> angles;
  for (int i = 0; i < 20000; ++i) angles.push_back(random.uniform(-10.0, 10.0));
  for (int i = 0; i < 20000; ++i) angles.push_back(random.uniform(-1e5, 1e5));
  for (int i = -40; i <= 40; ++i) angles.push_back(i * 0.78539816339744830962);  // where quadrants meet
  angles.push_back(0.0);
  std::vector<double> sine(angles.size() + 4);
  std::vector<double> cosine(angles.size() + 4);

  sincos_all(angles.data(), static_cast<int>(angles.size()), sine.data(), cosine.data());

  // An ulp of y is at most epsilon * |y|; below 1e-4 the reduction's own rounding is allowed instead.
  constexpr double kTwoUlp = 2.0 * std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const long double exact_sine = std::sin(static_cast<long double>(angles[i]));
    const long double exact_cosine = std::cos(static_cast<long double>(angles[i]));
    EXPECT_LE(std::abs(sine[i] - exact_sine), kTwoUlp * std::max<long double>(std::abs(exact_sine), 1e-4L))
        << angles[i];
    EXPECT_LE(std::abs(cosine[i] - exact_cosine), kTwoUlp * std::max<long double>(std::abs(exact_cosine), 1e-4L))
        << angles[i];
  }
}

TEST(Sincos, AsksLibmForHugeAnglesAndKeepsNotANumber) {
  const std::vector<double> angles = {1e9, -3e15, std::numeric_limits<double>::quiet_NaN()};
  std::vector<double> sine(8);
  std::vector<double> cosine(8);

  sincos_all(angles.data(), 3, sine.data(), cosine.data());

  EXPECT_DOUBLE_EQ(sine[0], std::sin(1e9));
  EXPECT_DOUBLE_EQ(cosine[1], std::cos(-3e15));
  EXPECT_TRUE(std::isnan(sine[2]));
}

TEST(TreeFactorization, SolvesLikeADenseOne) {
  Random random(2);
  const std::vector<int> parent = {-1, 0, 1, 1, 0, 4, 4, 6, -1, 8};
  const auto n = static_cast<int>(parent.size());
  // A matrix with the zeros of the tree: J^T J where row k of J reaches the ancestors of k.
  MatrixX J = MatrixX::Zero(n, n);
  for (int k = 0; k < n; ++k) {
    for (int i = k; i >= 0; i = parent[static_cast<std::size_t>(i)])
      J(k, i) = random.uniform(-1.0, 1.0) + (i == k ? 2.0 : 0.0);
  }
  const MatrixX M = J.transpose() * J;
  VectorX b(n);
  for (int i = 0; i < n; ++i) b[i] = random.uniform(-1.0, 1.0);
  MatrixX factors = M;
  VectorX x = b;

  VectorX whole(n);
  ASSERT_TRUE(factorize_tree(parent, factors, whole));
  solve_tree(parent, factors, x);

  EXPECT_LT((x - dense::solve_symmetric(M, b)).norm(), 1e-12);
}

TEST(TreeFactorization, RefusesAMatrixThatIsNotPositiveDefinite) {
  MatrixX M = MatrixX::Identity(2, 2);
  M(1, 0) = M(0, 1) = 1.0;

  VectorX whole(2);
  EXPECT_FALSE(factorize_tree({-1, 0}, M, whole));
}

// A node without inertia of its own, whose children take all of it one after the other: what is left is rounding.
TEST(TreeFactorization, RefusesWhatIsLostBitByBit) {
  constexpr double kLeft = 1e-8;
  MatrixX M = MatrixX::Identity(3, 3);
  M(2, 0) = std::sqrt(1.0 - kLeft);
  M(1, 0) = std::sqrt(kLeft * (1.0 - kLeft));

  VectorX whole(3);
  EXPECT_FALSE(factorize_tree({-1, 0, 0}, M, whole));
}

}  // namespace
}  // namespace kinloop
