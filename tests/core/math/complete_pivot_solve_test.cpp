// Tests the elimination of dependent unknowns: S u = -s must hold for any independents.
#include "core/math/complete_pivot_solve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/allocation_count.hpp"
#include "tests/support/random_matrix.hpp"

namespace kinloop {
namespace {

void fill(CompletePivotSolve& solve, const MatrixX& S) {
  solve.clear();
  for (int r = 0; r < S.rows(); ++r) {
    for (int c = 0; c < S.cols(); ++c) solve.row(r)[c] = S(r, c);
  }
  for (int c = 0; c < S.cols(); ++c) solve.set_size(c, S.col(c).norm() > 0.0 ? S.col(c).norm() : 1.0);
}

std::vector<int> independents(const CompletePivotSolve& solve) {
  std::vector<int> list;
  for (int i = 0; i < solve.independents(); ++i) list.push_back(solve.independent(i));
  return list;
}

/// The unknowns from `first` on are phantoms.
CompletePivotSolve with_phantoms(int rows, int columns, int first) {
  CompletePivotSolve solve(rows, columns);
  for (int j = first; j < columns; ++j) solve.set_role(j, UnknownRole::kPhantom);
  return solve;
}

/// u for given independents and s.
VectorX unknowns(const CompletePivotSolve& solve, const VectorX& free, const VectorX& s) {
  VectorX u = VectorX::Zero(free.size());
  for (const int j : independents(solve)) u[j] = free[j];
  for (int i = 0; i < solve.rank(); ++i) {
    double sum = 0.0;
    for (const int j : independents(solve)) sum += solve.T(i, j) * free[j];
    for (int r = 0; r < s.size(); ++r) sum -= solve.J(i, r) * s[r];
    u[solve.dependent(i)] = sum;
  }
  return u;
}

TEST(CompletePivotSolve, SolvesForTheDependentsAtAnyRank) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const int rows = 1 + random.below(12);
    const int columns = 1 + random.below(14);
    const int rank = random.below(std::min(rows, columns) + 1);
    const MatrixX S = random_matrix_of_rank(rows, columns, rank, random);
    const VectorX s = S * random_matrix(columns, 1, random);  // can be met
    CompletePivotSolve solve(rows, columns);
    fill(solve, S);

    solve.solve(1e-9);

    ASSERT_EQ(solve.rank(), rank);
    ASSERT_EQ(solve.independents(), columns - rank);
    const VectorX u = unknowns(solve, random_matrix(columns, 1, random), s);
    EXPECT_LT((S * u + s).norm(), 1e-9 / std::max(1e-6, solve.smallest_pivot())) << rows << 'x' << columns;
  }
}

TEST(CompletePivotSolve, ReconcilesRowsThatContradictEachOtherByLeastSquares) {
  Random random(8);
  for (int i = 0; i < 100; ++i) {
    const int rows = 2 + random.below(10);
    const int columns = 1 + random.below(12);
    const int rank = 1 + random.below(std::min(rows - 1, columns));
    const MatrixX S = random_matrix_of_rank(rows, columns, rank, random);
    const VectorX free = random_matrix(columns, 1, random);
    const VectorX s = random_matrix(rows, 1, random);  // cannot be met
    const VectorX met = S * free;
    CompletePivotSolve solve(rows, columns);
    fill(solve, S);

    solve.solve(1e-9);
    solve.reconcile();

    const double tolerance = 1e-9 / std::max(1e-6, solve.smallest_pivot());
    EXPECT_LT((S.transpose() * (S * unknowns(solve, free, s) + s)).norm(), tolerance) << rows << 'x' << columns;
    EXPECT_LT((S * unknowns(solve, free, met) + met).norm(), tolerance) << rows << 'x' << columns;
  }
}

TEST(CompletePivotSolve, HasNothingToReconcileWhereEveryRowHasAPivot) {
  Random random(9);
  const MatrixX S = random_matrix(4, 7, random);
  CompletePivotSolve plain(4, 7), reconciled(4, 7);
  fill(plain, S);
  fill(reconciled, S);

  plain.solve(1e-9);
  reconciled.solve(1e-9);
  reconciled.reconcile();

  for (int d = 0; d < 4; ++d) {
    for (int r = 0; r < 4; ++r) EXPECT_EQ(plain.J(d, r), reconciled.J(d, r));
  }
}

TEST(CompletePivotSolve, DoesNotCareForTheUnitsOfTheUnknowns) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const MatrixX S = random_matrix_of_rank(6, 9, 5, random);
    VectorX unit(9);
    for (double& x : unit) x = std::ldexp(1.0, random.below(60) - 30);
    CompletePivotSolve plain(6, 9), scaled(6, 9);
    fill(plain, S);
    fill(scaled, S * unit.asDiagonal());

    plain.solve(1e-9);
    scaled.solve(1e-9);

    ASSERT_EQ(plain.rank(), scaled.rank());
    EXPECT_EQ(independents(plain), independents(scaled));
    for (int k = 0; k < plain.rank(); ++k) {
      const int d = plain.dependent(k);
      ASSERT_EQ(d, scaled.dependent(k));
      for (const int j : independents(plain)) {
        EXPECT_NEAR(plain.T(k, j), scaled.T(k, j) * unit[d] / unit[j], 1e-9 * (1.0 + std::abs(plain.T(k, j))));
      }
    }
  }
}

TEST(CompletePivotSolve, NeverLeavesAPhantomIndependent) {
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    CompletePivotSolve solve = with_phantoms(6, 10, 7);
    fill(solve, random_matrix(6, 10, random));

    solve.solve(1e-9);

    for (const int j : independents(solve)) EXPECT_LT(j, 7);
  }
}

TEST(CompletePivotSolve, KeepsHeldPivotsNearby) {
  Random random(4);
  for (int i = 0; i < 50; ++i) {
    const MatrixX S = random_matrix_of_rank(6, 8, 4, random);
    const MatrixX nearby = S + 1e-5 * random_matrix_of_rank(6, 8, 6, random);
    CompletePivotSolve solve(6, 8);
    fill(solve, S);
    solve.solve(1e-9);
    const std::vector<int> independent = independents(solve);

    fill(solve, nearby);
    const bool held = solve.solve_again(0.3, 1e-13);

    EXPECT_TRUE(held);
    EXPECT_EQ(solve.rank(), 4);
    EXPECT_EQ(independents(solve), independent);
    // Four rows hold exactly, the others as well as the disturbance lets them.
    const VectorX u = unknowns(solve, random_matrix(8, 1, random), VectorX::Zero(6));
    EXPECT_LT((nearby * u).norm(), 1e-4 * (1.0 + u.norm()) / solve.smallest_pivot());
  }
}

TEST(CompletePivotSolve, SeeksAsManyPivotsAfreshWhereAHeldOneWeakens) {
  Random random(5);
  for (int i = 0; i < 50; ++i) {
    MatrixX S = random_matrix(3, 5, random);
    CompletePivotSolve solve(3, 5);
    fill(solve, S);
    solve.solve(1e-9);
    const int lost = solve.dependent(2);

    S.col(lost).setZero();
    fill(solve, S);
    const bool held = solve.solve_again(0.3, 1e-13);
    fill(solve, S);
    solve.solve_held(1e-13);
    const VectorX u = unknowns(solve, VectorX::Ones(5), VectorX::Ones(3));

    EXPECT_FALSE(held);
    EXPECT_EQ(solve.rank(), solve.kept());
    EXPECT_EQ(solve.rank(), 3);
    EXPECT_EQ(u[lost], 1.0);
    EXPECT_LT((S * u + VectorX::Ones(3)).norm(), 1e-10 * (1.0 + u.norm()) / solve.smallest_pivot());
  }
}

TEST(CompletePivotSolve, SaysWhereAHeldRankIsNotToBeHad) {
  Random random(7);
  MatrixX S = random_matrix(3, 4, random);
  CompletePivotSolve solve(3, 4);
  fill(solve, S);
  solve.solve(1e-9);

  S.row(2) = S.row(0) + S.row(1);
  fill(solve, S);
  solve.solve_held(1e-12);

  EXPECT_EQ(solve.kept(), 3);
  EXPECT_EQ(solve.rank(), 2);
}

TEST(CompletePivotSolve, LeavesAllFreeWhereNothingIsAsked) {
  CompletePivotSolve solve(6, 3);
  fill(solve, MatrixX::Zero(6, 3));

  solve.solve(1e-9);

  EXPECT_EQ(solve.rank(), 0);
  EXPECT_EQ(solve.independents(), 3);
}

TEST(CompletePivotSolve, DoesNotAllocate) {
  Random random(6);
  CompletePivotSolve solve = with_phantoms(12, 15, 10);
  const MatrixX S = random_matrix_of_rank(12, 15, 9, random);

  const AllocationCount allocations;
  fill(solve, S);
  solve.solve(1e-9);
  fill(solve, S);
  solve.solve_again(0.3, 1e-13);
  fill(solve, S);
  solve.solve_held(1e-13);
  solve.reconcile();

  EXPECT_EQ(allocations.value(), 0);
}

}  // namespace
}  // namespace kinloop
