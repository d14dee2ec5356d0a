// Tests the pivoted QR: rank, scale, held pivots, and that its factors solve what they shall.
#include "core/math/pivoted_qr.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/support/allocation_count.hpp"
#include "tests/support/dense.hpp"
#include "tests/support/random_matrix.hpp"

namespace kinloop {
namespace {

TEST(PivotedQr, FindsTheRankOfRandomMatrices) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const int rows = 1 + random.below(15);
    const int columns = 1 + random.below(15);
    const int rank = random.below(std::min(rows, columns) + 1);
    PivotedQr qr(rows, columns);
    qr.matrix() = random_matrix_of_rank(rows, columns, rank, random);

    qr.factorize(1e-10);

    EXPECT_EQ(qr.rank(), rank) << rows << 'x' << columns;
    EXPECT_LT(qr.largest_left(), 1e-10);
  }
}

TEST(PivotedQr, DoesNotCareForTheScaleOfColumns) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const MatrixX a = random_matrix_of_rank(9, 12, 5, random);
    PivotedQr plain(9, 12), scaled(9, 12);
    plain.matrix() = a;
    scaled.matrix() = a;
    for (int c = 0; c < 12; ++c) scaled.matrix().col(c) *= std::ldexp(1.0, random.below(200) - 100);

    plain.factorize(1e-10);
    scaled.factorize(1e-10);

    ASSERT_EQ(plain.rank(), 5);
    ASSERT_EQ(scaled.rank(), 5);
    for (int k = 0; k < 5; ++k) EXPECT_EQ(plain.pivot(k), scaled.pivot(k));
  }
}

TEST(PivotedQr, ListsEveryColumnOnce) {
  Random random(3);
  PivotedQr qr(5, 9);
  qr.matrix() = random_matrix_of_rank(5, 9, 3, random);

  qr.factorize(1e-10);

  std::set<int> columns;
  for (int i = 0; i < 9; ++i) columns.insert(qr.pivot(i));
  EXPECT_EQ(columns.size(), 9U);
}

TEST(PivotedQr, LeavesOutColumnsThatDoNotCount) {
  Random random(4);
  PivotedQr qr(6, 6);
  qr.matrix() = random_matrix(6, 6, random);
  qr.active()[2] = 0;
  qr.active()[5] = 0;

  qr.factorize(1e-10);

  ASSERT_EQ(qr.rank(), 4);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(qr.pivot(i) != 2 && qr.pivot(i) != 5);
}

// W^T y = g by the shortest y, as constraints are solved: y = Q [R^-T g; 0].
TEST(PivotedQr, GivesTheShortestSolutionOfTheTransposedSystem) {
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    const MatrixX a = random_matrix_of_rank(10, 8, 6, random);
    VectorX y_any = random_matrix(10, 1, random);
    const VectorX g = a.transpose() * y_any;
    PivotedQr qr(10, 8);
    qr.matrix() = a;

    qr.factorize(1e-10);
    VectorX y = VectorX::Zero(10);
    qr.satisfy(g, y);
    qr.apply(y);

    EXPECT_LT((a.transpose() * y - g).norm(), 1e-9);
    EXPECT_LE(y.norm(), y_any.norm() * (1.0 + 1e-12));
  }
}

TEST(PivotedQr, SolvesLeastSquares) {
  Random random(6);
  const MatrixX a = random_matrix(10, 4, random);
  const VectorX b = random_matrix(10, 1, random);
  PivotedQr qr(10, 4);
  qr.matrix() = a;

  qr.factorize(1e-10);
  VectorX y = b;
  qr.apply_transposed(y);
  qr.solve(y);
  VectorX x(4);
  for (int k = 0; k < 4; ++k) x[qr.pivot(k)] = y[k];

  EXPECT_LT((a.transpose() * (a * x - b)).norm(), 1e-12);
}

TEST(PivotedQr, AppliesWhatItsTransposeUndoes) {
  Random random(7);
  PivotedQr qr(8, 5);
  qr.matrix() = random_matrix(8, 5, random);
  qr.factorize(1e-10);
  const VectorX y = random_matrix(8, 1, random);

  VectorX there_and_back = y;
  qr.apply(there_and_back);
  EXPECT_NEAR(there_and_back.norm(), y.norm(), 1e-14);
  qr.apply_transposed(there_and_back);

  EXPECT_LT((there_and_back - y).norm(), 1e-14);
}

/// Fills the columns of `a` into the places that refactorize() reads.
void refill(const MatrixX& a, PivotedQr& qr) {
  for (int k = 0; k < qr.columns(); ++k) qr.matrix().col(k) = a.col(qr.pivot(k));
}

TEST(PivotedQr, KeepsHeldPivotsNearby) {
  Random random(8);
  for (int i = 0; i < 50; ++i) {
    const MatrixX a = random_matrix_of_rank(9, 7, 4, random);
    const MatrixX nearby = a + 1e-4 * random_matrix(9, 7, random);  // here all seven seem independent
    PivotedQr qr(9, 7);
    qr.matrix() = a;
    qr.factorize(1e-10);

    refill(nearby, qr);
    qr.refactorize(1e-10);
    VectorX y = VectorX::Zero(9);
    const VectorX b = VectorX::LinSpaced(7, 1.0, 7.0);
    qr.satisfy(b, y);
    qr.apply(y);

    ASSERT_EQ(qr.rank(), 4);
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(nearby.col(qr.pivot(k)).dot(y), b[qr.pivot(k)], 1e-9);
  }
}

// A column that passes through zero, disturbed by rounding: alone it seems a direction of its own, in its group it is
// nothing.
TEST(PivotedQr, JudgesAColumnAgainstTheLongestOfItsGroup) {
  Random random(12);
  for (int i = 0; i < 50; ++i) {
    MatrixX a = random_matrix_of_rank(9, 6, 4, random);
    a.col(5) = 1e-5 * (a.col(0) + 2.0 * a.col(1)) + 1e-12 * random_matrix(9, 1, random);
    PivotedQr alone(9, 6);
    PivotedQr together(9, 6);
    std::fill(together.group().begin() + 3, together.group().end(), 3);
    alone.matrix() = together.matrix() = a;

    alone.factorize(1e-9);
    together.factorize(1e-9);

    EXPECT_EQ(alone.rank(), 5);
    EXPECT_EQ(together.rank(), 4);
  }
}

TEST(PivotedQr, TakesNoMorePivotsThanItMay) {
  Random random(13);
  PivotedQr qr(9, 7);
  qr.matrix() = random_matrix(9, 7, random);

  qr.factorize(1e-10, {.most = 5});

  EXPECT_EQ(qr.rank(), 5);
}

TEST(PivotedQr, DoubtsAPivotBeyondTheUsualRank) {
  Random random(15);
  MatrixX a = random_matrix_of_rank(9, 7, 4, random);
  a.col(6) += 1e-8 * random_matrix(9, 1, random);
  PivotedQr any(9, 7), usual(9, 7), more(9, 7);
  any.matrix() = usual.matrix() = a;
  more.matrix() = a + 1e-2 * random_matrix(9, 7, random);

  any.factorize(1e-10);
  usual.factorize(1e-10, {.usual = 4});
  more.factorize(1e-10, {.usual = 4});

  EXPECT_EQ(any.rank(), 5);
  EXPECT_EQ(usual.rank(), 4);
  EXPECT_EQ(more.rank(), 7) << "what stands out beyond doubt counts";
}

// Columns 4 to 6 depend on the first four but for a disturbance: among all x that make the seven products as good as
// they can be at rank 4, against a pseudo-inverse of that rank.
TEST(PivotedQr, SatisfiesContradictingColumnsByLeastSquares) {
  Random random(14);
  for (int i = 0; i < 50; ++i) {
    const MatrixX a = random_matrix_of_rank(9, 7, 4, random);
    const VectorX b = random_matrix(7, 1, random);  // no x fits all
    PivotedQr qr(9, 7);
    qr.matrix() = a;
    qr.factorize(1e-10);

    VectorX x = VectorX::Zero(9);
    qr.satisfy_all(b, x);
    qr.apply(x);

    const VectorX expected = dense::shortest_solution(a.transpose(), b, 1e-9);
    EXPECT_LT((x - expected).norm(), 1e-9 * (1.0 + expected.norm()) / dense::singular_values(a)[3]);
  }
}

TEST(PivotedQr, PassesOverAHeldPivotThatHasBecomeDependent) {
  Random random(9);
  MatrixX a = random_matrix(6, 3, random);
  PivotedQr qr(6, 3);
  qr.matrix() = a;
  qr.factorize(1e-10);
  a.col(qr.pivot(2)) = 2.0 * a.col(qr.pivot(0));

  refill(a, qr);
  qr.refactorize(1e-10);
  VectorX y = VectorX::Zero(6);
  qr.satisfy(VectorX::Ones(3), y);
  qr.apply(y);

  EXPECT_TRUE(y.allFinite());
  EXPECT_NEAR(a.col(qr.pivot(0)).dot(y), 1.0, 1e-12);
  EXPECT_NEAR(a.col(qr.pivot(1)).dot(y), 1.0, 1e-12);
}

TEST(PivotedQr, TakesAMatrixOfZerosForRankZero) {
  PivotedQr qr(4, 3);

  qr.factorize(1e-10);

  EXPECT_EQ(qr.rank(), 0);
  EXPECT_EQ(qr.smallest_share(), 1.0);
}

TEST(PivotedQr, KnowsTheSmallestSingularValueRoughly) {
  Random random(11);
  for (int i = 0; i < 200; ++i) {
    const int columns = 2 + random.below(12);
    MatrixX W = random_matrix(columns + random.below(6), columns, random);
    // One column comes near to a sum of the others: each of them alone stands out well.
    const double apart = std::pow(10.0, -random.below(8));
    W.col(0) = W.rightCols(columns - 1).rowwise().sum() + apart * W.col(0);
    const MatrixX unit = W.colwise().normalized();
    const double smallest = dense::singular_values(unit).minCoeff();
    PivotedQr qr(W.rows(), columns);
    qr.matrix() = W;

    qr.factorize(1e-12);

    EXPECT_GE(qr.smallest_singular_value(), 0.999 * smallest);
    EXPECT_LE(qr.smallest_singular_value(), 30.0 * smallest) << "apart " << apart;
  }
}

TEST(PivotedQr, DoesNotAllocate) {
  Random random(10);
  PivotedQr qr(12, 20);
  qr.matrix() = random_matrix(12, 20, random);
  VectorX y = VectorX::Ones(12);
  const VectorX b = VectorX::Ones(20);

  const AllocationCount allocations;
  qr.factorize(1e-10);
  qr.apply_transposed(y);
  qr.solve(y);
  qr.satisfy(b, y);
  qr.satisfy_all(b, y);
  qr.apply(y);
  qr.refactorize(1e-10);
  qr.satisfy_all(b, y);

  EXPECT_EQ(allocations.value(), 0);
}

}  // namespace
}  // namespace kinloop
