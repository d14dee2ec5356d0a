// Tests the dyads: chains put together at random are found again, on the branch they stand on.
#include "core/topology/dyad.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "tests/support/random.hpp"

namespace kinloop {
namespace {

constexpr PlanarDof kDyadTurn = PlanarDof::kTurn;
constexpr PlanarDof kSlide = PlanarDof::kSlide;

PlanarPose random_pose(Random& random) {
  const Vec2 p{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
  return {p, random.uniform(-3.0, 3.0)};
}

PlanarPose motion(PlanarDof dof, double place) {
  return dof == kDyadTurn ? PlanarPose{{}, place} : PlanarPose{{place, 0.0}, 0.0};
}

PlanarPose chain(const Dyad& dyad, const std::array<double, 3>& places) {
  return motion(dyad.joints[0], places[0]) * dyad.link1 * motion(dyad.joints[1], places[1]) * dyad.link2 *
         motion(dyad.joints[2], places[2]);
}

double difference(PlanarDof dof, double a, double b) {
  return std::abs(dof == kDyadTurn ? std::remainder(a - b, 2.0 * std::numbers::pi) : a - b);
}

/// Three hinges in a row, 1 m and 2 m apart, to be stretched over a distance.
Dyad stretched_over(double distance_m) {
  Dyad dyad;
  dyad.joints = {kDyadTurn, kDyadTurn, kDyadTurn};
  dyad.link1.p = {1.0, 0.0};
  dyad.link2.p = {2.0, 0.0};
  dyad.whole.p = {0.0, distance_m};
  dyad.size_m = 2.0;
  return dyad;
}

class AnyDyad : public ::testing::TestWithParam<std::array<PlanarDof, 3>> {};

TEST_P(AnyDyad, IsFoundAsItWasPutTogether) {
  Random random(11);
  int found = 0;
  for (int i = 0; i < 1000; ++i) {
    Dyad dyad;
    dyad.joints = GetParam();
    dyad.link1 = random_pose(random);
    dyad.link2 = random_pose(random);
    dyad.size_m = 1.0;
    const std::array<double, 3> places{random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0)};
    dyad.whole = chain(dyad, places);

    const DyadSolution solution = solve_dyad(dyad, places[1]);

    ASSERT_NE(solution.status, DyadStatus::kApart);
    if (solution.status == DyadStatus::kFlat) continue;
    ++found;
    for (std::size_t j = 0; j < 3; ++j) {
      // Rounding, over the sine below which solutions are refused.
      EXPECT_LT(difference(dyad.joints[j], solution.places[j], places[j]), 1e-12) << i << ' ' << j;
    }
  }
  EXPECT_GT(found, 900);
}

INSTANTIATE_TEST_SUITE_P(All, AnyDyad,
                         ::testing::Values(std::array{kDyadTurn, kDyadTurn, kDyadTurn},
                                           std::array{kDyadTurn, kSlide, kDyadTurn},
                                           std::array{kSlide, kDyadTurn, kDyadTurn},
                                           std::array{kDyadTurn, kDyadTurn, kSlide},
                                           std::array{kSlide, kSlide, kDyadTurn}, std::array{kSlide, kDyadTurn, kSlide},
                                           std::array{kDyadTurn, kSlide, kSlide}));

TEST(Dyad, BothBranchesEndAtTheSamePlace) {
  const Dyad dyad = stretched_over(2.5);

  const DyadSolution left = solve_dyad(dyad, 1.0);
  const DyadSolution right = solve_dyad(dyad, -1.0);

  ASSERT_EQ(left.status, DyadStatus::kSolved);
  ASSERT_EQ(right.status, DyadStatus::kSolved);
  EXPECT_NEAR(left.places[1], -right.places[1], 1e-15);
  EXPECT_GT(left.places[1], 0.1);
  EXPECT_NEAR(chain(dyad, left.places).p.y, 2.5, 1e-15);
  EXPECT_NEAR(chain(dyad, right.places).p.y, 2.5, 1e-15);
}

TEST(Dyad, CirclesThatDoNotMeetAreReported) {
  EXPECT_EQ(solve_dyad(stretched_over(3.1), 1.0).status, DyadStatus::kApart);
  EXPECT_EQ(solve_dyad(stretched_over(0.9), 1.0).status, DyadStatus::kApart);
}

TEST(Dyad, DeadCentresAreRefused) {
  EXPECT_EQ(solve_dyad(stretched_over(3.0 - 1e-9), 1.0).status, DyadStatus::kFlat);
  EXPECT_EQ(solve_dyad(stretched_over(1.0 + 1e-9), 1.0).status, DyadStatus::kFlat);
}

TEST(Dyad, ALinkWithoutLengthIsRefused) {
  Dyad dyad = stretched_over(2.0);
  dyad.link1.p = {1e-9, 0.0};

  EXPECT_EQ(solve_dyad(dyad, 1.0).status, DyadStatus::kFlat);
}

TEST(Dyad, ParallelSlidesAreRefused) {
  Dyad dyad = stretched_over(2.0);
  dyad.joints = {kSlide, kSlide, kDyadTurn};

  EXPECT_EQ(solve_dyad(dyad, 1.0).status, DyadStatus::kFlat);
}

TEST(Dyad, ThreeSlidesAreRefused) {
  Dyad dyad = stretched_over(2.0);
  dyad.joints = {kSlide, kSlide, kSlide};

  EXPECT_EQ(solve_dyad(dyad, 1.0).status, DyadStatus::kFlat);
}

TEST_P(AnyDyad, NumbersThatAreNotFiniteAreRefused) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Dyad dyad = stretched_over(2.0);
    dyad.joints = GetParam();
    dyad.link1.angle_rad = 1.0;
    dyad.link2.angle_rad = 1.0;
    dyad.whole = {{bad, bad}, bad};

    EXPECT_NE(solve_dyad(dyad, 1.0).status, DyadStatus::kSolved);
  }
}

}  // namespace
}  // namespace kinloop
