// Tests the projective criterion against the examples of its paper (001, section 3 and 6) and against geometry.
#include "core/constraints/projective_criterion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/dense.hpp"
#include "tests/support/random_matrix.hpp"

namespace kinloop {
namespace {

/// (23b), from constraints.
VectorX cosines2_of_constraints(const MatrixX& M, const MatrixX& C) {
  ProjectiveCriterion criterion(M.rows(), C.rows());
  EXPECT_TRUE(criterion.set_inertia(M));
  criterion.use_constraints(C, C.rows());
  VectorX cosines2(M.rows());
  for (Eigen::Index i = 0; i < M.rows(); ++i) cosines2[i] = criterion.cosine2(i);
  return cosines2;
}

/// (23a), from the allowed motions.
VectorX cosines2_of_dofs(const MatrixX& M, const MatrixX& D) {
  ProjectiveCriterion criterion(M.rows(), M.rows());
  EXPECT_TRUE(criterion.set_inertia(M));
  const MatrixX L = dense::cholesky_factor(D * M * D.transpose());
  criterion.use_dofs(D, L, D.rows());
  VectorX cosines2(M.rows());
  for (Eigen::Index i = 0; i < M.rows(); ++i) cosines2[i] = criterion.cosine2(i);
  return cosines2;
}

MatrixX random_inertia(int n, Random& random) {
  const MatrixX A = random_matrix(n, n, random);
  return A * A.transpose() + 0.1 * MatrixX::Identity(n, n);
}

TEST(ProjectiveCriterion, IsTheSameFromConstraintsAndFromFreedoms) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const int n = 2 + random.below(8);
    const int rows = 1 + random.below(n - 1);
    const MatrixX M = random_inertia(n, random);
    const MatrixX C = random_matrix(rows, n, random);
    const MatrixX D = dense::null_space(C, 1e-12).transpose();

    const VectorX b = cosines2_of_constraints(M, C);
    const VectorX a = cosines2_of_dofs(M, D);

    EXPECT_LT((a - b).lpNorm<Eigen::Infinity>(), 1e-10) << i;
    EXPECT_GE(a.minCoeff(), -1e-12);
    EXPECT_LE(a.maxCoeff(), 1.0 + 1e-12);
  }
}

TEST(ProjectiveCriterion, OfTheMathematicalPendulumIsTheSlopeOfItsCircle) {
  for (const double gamma : {0.1, 0.8, 1.5, 2.9}) {
    const double rho = 0.7;
    MatrixX C(1, 2);
    C << 2.0 * rho * std::cos(gamma), 2.0 * rho * std::sin(gamma);

    const VectorX cosines2 = cosines2_of_constraints(3.0 * MatrixX::Identity(2, 2), C);

    EXPECT_NEAR(cosines2[0], std::pow(std::sin(gamma), 2), 1e-14);
    EXPECT_NEAR(cosines2[1], std::pow(std::cos(gamma), 2), 1e-14);
  }
}

// (24), (25), (26).
TEST(ProjectiveCriterion, OfThePhysicalPendulumIsThatOfThePaper) {
  const double m = 2.0, J = 0.3, rho = 0.6;
  const MatrixX M = Eigen::Vector3d(m, m, J).asDiagonal();
  for (const double gamma : {0.2, 0.9, 1.4, 2.2, -0.7}) {
    const double s = std::sin(gamma), c = std::cos(gamma), whole = m * rho * rho + J;
    MatrixX C(2, 3), D_x(1, 3), D_y(1, 3), D_gamma(1, 3);
    C << 1, 0, rho * s, 0, 1, -rho * c;
    D_x << 1, -c / s, -1 / (rho * s);
    D_y << -s / c, 1, 1 / (rho * c);
    D_gamma << -rho * s, rho * c, 1;
    const Eigen::Vector3d expected(m * rho * rho / whole * s * s, m * rho * rho / whole * c * c, J / whole);

    for (const MatrixX& D : {D_x, D_y, D_gamma}) {
      EXPECT_LT((D * C.transpose()).norm(), 1e-14) << "(25) spans what (24) allows";
      EXPECT_LT((cosines2_of_dofs(M, D) - expected).norm(), 1e-13) << gamma;
    }
    EXPECT_LT((cosines2_of_constraints(M, C) - expected).norm(), 1e-13) << gamma;
  }
}

/// The four-bar of section 6, angles clockwise from +y: its chain of three rods cut at the last pin.
struct PaperFourBar {
  double l0 = 3.0, l1 = 1.0, l2 = 2.8, l3 = 2.4;
  std::array<double, 3> mass{1.0, 2.8, 2.4};

  /// (40), (41).
  std::array<double, 3> angles(double a1) const {
    const double a3 =
        std::acos((l0 * l0 + l1 * l1 - l2 * l2 - l3 * l3 - 2.0 * l0 * l1 * std::sin(a1)) / (2.0 * l2 * l3));
    const double sine = l0 * l2 * std::cos(a1) + l0 * l3 * std::cos(a1 + a3) + l1 * l3 * std::sin(a3);
    const double cosine = l0 * l2 * std::sin(a1) + l0 * l3 * std::sin(a1 + a3) - l1 * l3 * std::cos(a3) - l1 * l2;
    return {a1, std::atan2(sine, cosine), a3};
  }
  /// (43).
  MatrixX D(const std::array<double, 3>& a) const {
    MatrixX row(1, 3);
    const double below = l2 * l3 * std::sin(a[2]);
    row << 1.0, -(l0 * l1 * std::cos(a[0]) + l0 * l2 * std::cos(a[0] + a[1])) / below, l0 * l1 * std::cos(a[0]) / below;
    return row;
  }
  /// Rods with their mass along them, relative angles.
  MatrixX M(const std::array<double, 3>& a) const {
    const std::array<double, 3> length{l1, l2, l3};
    MatrixX sum = MatrixX::Zero(3, 3);
    double angle = 0.0;
    MatrixX tip = MatrixX::Zero(2, 3);  // of the rod before, per rate
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(k);
      angle += a[i];
      Eigen::RowVector3d turns = Eigen::RowVector3d::Zero();
      turns.head(k + 1).setOnes();
      const Vector2d along(std::cos(angle), -std::sin(angle));  // d(sin, cos) / d angle
      const MatrixX centre = tip + 0.5 * length[i] * along * turns;
      sum += mass[i] * centre.transpose() * centre;
      sum += mass[i] * length[i] * length[i] / 12.0 * turns.transpose() * turns;
      tip += length[i] * along * turns;
    }
    return sum;
  }
  using Vector2d = Eigen::Vector2d;
};

/// Positions of the joints of the chain, the tip last.
MatrixX joint_positions(const PaperFourBar& linkage, const std::array<double, 3>& a) {
  const std::array<double, 3> length{linkage.l1, linkage.l2, linkage.l3};
  MatrixX p = MatrixX::Zero(2, 4);
  double angle = 0.0;
  for (int k = 0; k < 3; ++k) {
    angle += a[static_cast<std::size_t>(k)];
    p.col(k + 1) = p.col(k) + length[static_cast<std::size_t>(k)] * Eigen::Vector2d(std::sin(angle), std::cos(angle));
  }
  return p;
}

// (40)-(42): the closing conditions close the loop, and their rates are those of differences.
TEST(Paper001, ClosingConditionsOfTheFourBarHaveTheRatesOfThePaper) {
  const PaperFourBar linkage;
  for (double a1 = 0.1; a1 < 6.2; a1 += 0.37) {
    const std::array<double, 3> a = linkage.angles(a1);
    const Eigen::Vector2d tip = joint_positions(linkage, a).col(3);
    EXPECT_LT((tip - Eigen::Vector2d(linkage.l0, 0.0)).norm(), 1e-14) << a1;
    const double a3_rate = linkage.l0 * linkage.l1 * std::cos(a1) / (linkage.l2 * linkage.l3 * std::sin(a[2]));
    const double a2_rate = -linkage.l0 * std::cos(a1 + a[1]) / (linkage.l3 * std::sin(a[2])) - a3_rate;
    constexpr double kStep = 1e-5;
    const std::array<double, 3> before = linkage.angles(a1 - kStep);
    const std::array<double, 3> behind = linkage.angles(a1 + kStep);
    const auto difference = [&](std::size_t i) {
      return std::remainder(behind[i] - before[i], 2.0 * std::numbers::pi) / (2.0 * kStep);
    };

    EXPECT_NEAR(a3_rate, difference(2), 1e-8) << a1;
    EXPECT_NEAR(a2_rate, difference(1), 1e-8) << a1;
    const MatrixX D = linkage.D(a);
    EXPECT_NEAR(D(0, 1), a2_rate, 1e-13) << "(43) is (42)";
    EXPECT_NEAR(D(0, 2), a3_rate, 1e-13);
  }
}

// (31), (32), (44), (45): three ways to write what closes the loop, one total along the coordinates.
TEST(Paper001, ArtificialAndPhysicalConstraintsOfTheFourBarSpanTheSameSpace) {
  const PaperFourBar linkage;
  for (double a1 = 0.1; a1 < 6.2; a1 += 0.37) {
    const std::array<double, 3> a = linkage.angles(a1);
    const MatrixX p = joint_positions(linkage, a);
    MatrixX B_T(3, 2);  // (44)
    const double l0 = linkage.l0;
    const double l1 = linkage.l1;
    const double l2 = linkage.l2;
    B_T << 0.0, -l0, -l1 * std::cos(a1), -l0 + l1 * std::sin(a1), -l1 * std::cos(a1) - l2 * std::cos(a1 + a[1]),
        -l0 + l1 * std::sin(a1) + l2 * std::sin(a1 + a[1]);
    for (int i = 0; i < 3; ++i) {  // unit rates move the tip about their joint, clockwise
      const Eigen::Vector2d arm = p.col(3) - p.col(i);
      EXPECT_LT((B_T.row(i).transpose() - Eigen::Vector2d(arm.y(), -arm.x())).norm(), 1e-14) << "virtual work";
    }
    const MatrixX D = linkage.D(a);
    MatrixX C_hat(2, 3);  // (31): [-A 1]
    C_hat << -D(0, 1), 1.0, 0.0, -D(0, 2), 0.0, 1.0;
    const Eigen::Vector2d f(1.7, -0.6);

    EXPECT_LT((D * B_T).norm(), 1e-14 * B_T.norm() * D.norm());
    EXPECT_LT((D * C_hat.transpose()).norm(), 1e-14);
    const VectorX total = B_T * f;
    const Eigen::Vector2d lambda_hat = total.tail(2);  // (45): its lower block is 1
    EXPECT_LT((C_hat.transpose() * lambda_hat - total).norm(), 1e-13 * total.norm() * D.norm()) << "(32)";
  }
}

// (33) for X = C^ and B, (A6), (B1)-(B3): whichever vectors span the constrained directions, the metric of the base
// falls apart in two blocks, the transposed inverse of T M is known from them, and accelerations come out the same.
TEST(Paper001, AnyBaseOfTheConstrainedDirectionsSplitsTheMetricInTwoBlocks) {
  const PaperFourBar linkage;
  for (double a1 = 0.1; a1 < 6.2; a1 += 0.37) {
    const std::array<double, 3> a = linkage.angles(a1);
    const MatrixX M = linkage.M(a);
    const MatrixX M_inverse = dense::inverse(M);
    const MatrixX D = linkage.D(a);
    MatrixX C_hat(2, 3);
    C_hat << -D(0, 1), 1.0, 0.0, -D(0, 2), 0.0, 1.0;
    Eigen::Matrix2d mixed;
    mixed << 2.0, -0.3, 0.7, 1.1;
    for (const MatrixX& X : {C_hat, MatrixX(mixed * C_hat)}) {
      MatrixX T(3, 3);
      T << X * M_inverse, D;
      MatrixX by_blocks(3, 3);  // (B2), its blocks below each other
      by_blocks << dense::inverse(X * M_inverse * X.transpose()) * X * M_inverse,
          dense::inverse(D * M * D.transpose()) * D;
      const MatrixX metric = T * M * T.transpose();  // (A6)
      const double size = metric.norm();

      EXPECT_LT((metric.topLeftCorner(2, 2) - X * M_inverse * X.transpose()).norm(), 1e-12 * size) << "(B1)";
      EXPECT_LT(metric.topRightCorner(2, 1).norm(), 1e-12 * size) << "(B1)";
      const MatrixX inverse = dense::inverse((T * M).transpose());
      EXPECT_LT((inverse - by_blocks).norm(), 1e-11 * inverse.norm()) << "(B2)";
      // (B3): a force along the constrained directions comes back as its multipliers, and the zero block is zero.
      const Eigen::Vector2d f(1.7, -0.6);
      const VectorX found = inverse * (X.transpose() * f);
      EXPECT_LT((found.head(2) - f).norm(), 1e-11 * inverse.norm() * size) << "(37)";
      EXPECT_LT(std::abs(found[2]), 1e-11 * inverse.norm() * size) << "(37)";
    }
  }
}

// Figure 3.
TEST(ProjectiveCriterion, OfTheFourBarChangesItsMindBetweenTwoAngles) {
  const PaperFourBar linkage;
  std::array<int, 3> best{};
  double least_1 = 1.0, least_2 = 1.0, largest_3 = 0.0;
  for (int i = 0; i < 720; ++i) {
    const std::array<double, 3> a = linkage.angles(2.0 * std::numbers::pi * (i + 0.5) / 720.0);
    const VectorX cosines2 = cosines2_of_dofs(linkage.M(a), linkage.D(a));
    Eigen::Index largest = 0;
    cosines2.maxCoeff(&largest);
    ++best[static_cast<std::size_t>(largest)];
    least_1 = std::min(least_1, cosines2[0]);
    least_2 = std::min(least_2, cosines2[1]);
    largest_3 = std::max(largest_3, cosines2[2]);
  }
  EXPECT_GT(least_1, 1e-3) << "acceptable in every position";
  EXPECT_GT(least_2, 1e-3);
  EXPECT_GT(best[0], 0) << "neither of them is the best everywhere";
  EXPECT_GT(best[1], 0);
  for (const double dead : {0.5, 1.5}) {
    const std::array<double, 3> a = linkage.angles(dead * std::numbers::pi);
    EXPECT_LT(cosines2_of_dofs(linkage.M(a), linkage.D(a))[2], 1e-28) << "a dead centre of the third";
  }
}

// An SVD of the constraints sees geometry only; both know the same singular positions.
TEST(ProjectiveCriterion, KnowsMassesWhereGeometryDoesNot) {
  PaperFourBar even, heavy;
  heavy.mass = {1.0, 300.0, 2.4};
  int differ = 0;
  for (int i = 0; i < 180; ++i) {
    const std::array<double, 3> a = even.angles(2.0 * std::numbers::pi * (i + 0.5) / 180.0);
    const MatrixX D = even.D(a);
    const VectorX geometric = D.row(0).cwiseAbs2() / D.squaredNorm();

    const VectorX with_even = cosines2_of_dofs(even.M(a), D);
    const VectorX with_heavy = cosines2_of_dofs(heavy.M(a), D);

    Eigen::Index by_even = 0, by_heavy = 0;
    with_even.maxCoeff(&by_even);
    with_heavy.maxCoeff(&by_heavy);
    differ += by_even != by_heavy ? 1 : 0;
    for (int k = 0; k < 3; ++k) EXPECT_EQ(geometric[k] < 1e-12, with_even[k] < 1e-12) << i;
  }
  EXPECT_GT(differ, 0) << "the masses decide somewhere";
}

TEST(ProjectiveCriterion, ChoosesASetThatIsRegularWhereTheLargestCosinesAreNot) {
  // Two coordinates that are nearly the same motion have the largest cosines; one of them must be left to depend.
  Random random(3);
  int collided = 0;
  for (int i = 0; i < 200; ++i) {
    const int n = 5;
    const MatrixX M = random_inertia(n, random);
    MatrixX C = random_matrix(3, n, random);
    C.row(0).setZero();
    C(0, 0) = 1.0;
    C(0, 1) = -1.0;  // v0 = v1
    ProjectiveCriterion criterion(n, 3);
    ASSERT_TRUE(criterion.set_inertia(M));
    criterion.use_constraints(C, 3);
    std::vector<char> independent(n, 0);

    const double quality = criterion.choose(2, independent);

    EXPECT_GT(quality, 0.0);
    EXPECT_FALSE(independent[0] != 0 && independent[1] != 0) << i;
    const double third = std::max({criterion.cosine2(2), criterion.cosine2(3), criterion.cosine2(4)});
    collided += std::min(criterion.cosine2(0), criterion.cosine2(1)) > third ? 1 : 0;
  }
  EXPECT_GT(collided, 0) << "the two largest alone would have been singular";
}

}  // namespace
}  // namespace kinloop
