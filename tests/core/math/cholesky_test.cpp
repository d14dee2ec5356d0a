// Tests the dense Cholesky factorization.
#include "core/math/cholesky.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random.hpp"

namespace kinloop {
namespace {

MatrixX random_square(int n, Random& random) {
  MatrixX A(n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) A(i, j) = random.uniform(-1.0, 1.0);
  }
  return A;
}

TEST(Cholesky, SolvesRandomSystemsOfEverySize) {
  Random random(1);
  for (const int n : {0, 1, 2, 3, 7, 20, 65}) {
    const MatrixX A = random_square(n, random);
    const MatrixX S = A * A.transpose() + MatrixX::Identity(n, n);
    const VectorX expected = VectorX::LinSpaced(n, -1.0, 2.0);
    MatrixX L = S;
    VectorX x = S * expected;

    ASSERT_TRUE(factorize_cholesky(L));
    solve_lower(L, x);
    solve_lower_transposed(L, x);

    EXPECT_TRUE(x.isApprox(expected, 1e-12) || n == 0) << n;
  }
}

TEST(Cholesky, RefusesASingularMatrixAndNumbersThatAreNone) {
  Random random(2);
  MatrixX A = random_square(5, random);
  A.col(4) = A.col(3);
  MatrixX singular = A.transpose() * A;
  MatrixX invalid = MatrixX::Identity(3, 3);
  invalid(1, 1) = std::nan("");

  EXPECT_FALSE(factorize_cholesky(singular));
  EXPECT_FALSE(factorize_cholesky(invalid));
}

}  // namespace
}  // namespace kinloop
