// Tests the LU factorization on random matrices that need their rows exchanged.
#include "core/math/lu.hpp"

#include <gtest/gtest.h>

#include "tests/support/random_matrix.hpp"

namespace kinloop {
namespace {

TEST(LuFactors, SolveWhatTheyAreMadeFrom) {
  for (int n = 1; n <= 12; ++n) {
    Random random(static_cast<std::uint64_t>(n));
    MatrixX A = random_matrix(n, n, random);
    A(0, 0) = 0.0;  // the first row is no pivot
    if (n == 1) A(0, 0) = 2.0;
    const MatrixX X = random_matrix(n, 3, random);
    MatrixX B = A * X;
    LuFactors factors(n);
    factors.matrix() = A;

    ASSERT_TRUE(factors.factorize(n));
    factors.solve(B);

    EXPECT_LT((B - X).cwiseAbs().maxCoeff(), 1e-10) << n;
  }
}

TEST(LuFactors, RefuseWhatHasNoInverse) {
  LuFactors factors(2);
  factors.matrix() << 1.0, 2.0, 2.0, 4.0;

  EXPECT_FALSE(factors.factorize(2));
}

}  // namespace
}  // namespace kinloop
