// Tests what the table says of every joint type against what the joint does.
#include <gtest/gtest.h>

#include <cmath>

#include "core/joints/joint.hpp"
#include "tests/support/random.hpp"

namespace kinloop {
namespace {

constexpr double kRounding = 1e-12;

/// Some coordinates of a joint, quaternions of unit length, and the motion there.
JointMotion motion_somewhere(const JointKind& kind, Random& random) {
  std::array<double, 7> q{};
  std::array<double, 6> v{};
  for (double& value : q) value = random.uniform(-1.0, 1.0);
  for (double& value : v) value = random.uniform(-1.0, 1.0);
  if (kind.quaternion >= 0) {
    double* quaternion = q.data() + kind.quaternion;
    double size2 = 0.0;
    for (int i = 0; i < 4; ++i) size2 += quaternion[i] * quaternion[i];
    for (int i = 0; i < 4; ++i) quaternion[i] /= std::sqrt(size2);
  }
  JointParameters parameters;
  parameters.pitch = 0.3;
  FunctionSpec profile;
  profile.polynomial = {0.5, 0.1};
  parameters.profile = std::move(ScalarFunction::make(profile, "profile")).value();
  JointMotion motion;
  kind.evaluate(parameters, q.data(), v.data(), motion);
  return motion;
}

class JointKinds : public ::testing::Test {
 protected:
  template <class Check>
  void for_all(Check check) {
    for (const JointKind& kind : joint_kinds()) {
      for (int i = 0; i < 20; ++i) check(kind, motion_somewhere(kind, random_));
    }
  }
  Random random_{17};
};

TEST_F(JointKinds, TurnAsTheTableSays) {
  for_all([](const JointKind& kind, const JointMotion& motion) {
    const Matrix3 R = motion.R.eigen();
    const bool turns = (R - Matrix3::Identity()).norm() > kRounding;
    const bool leaves_z = (R.col(2) - Vector3::UnitZ()).norm() > kRounding;
    switch (kind.rotation) {
      case JointRotation::kNone:
        EXPECT_FALSE(turns) << kind.name;
        break;
      case JointRotation::kAboutZ:
        EXPECT_TRUE(turns && !leaves_z) << kind.name;
        break;
      case JointRotation::kTwoAxes:
        EXPECT_NEAR(R(0, 1), 0.0, kRounding) << kind.name;  // x of A is square to y of B
        break;
      case JointRotation::kOther:
        EXPECT_TRUE(turns) << kind.name;
        break;
    }
  });
}

TEST_F(JointKinds, HaveSpeedsOfAnglesWhereTheirColumnsTurn) {
  for_all([](const JointKind& kind, const JointMotion& motion) {
    if (kind.type == JointType::kCam) return;  // the angle of a cam moves a point along its profile
    for (std::size_t i = 0; i < static_cast<std::size_t>(kind.nv); ++i) {
      const bool turns = motion.Hw[i].eigen().norm() > kRounding;
      EXPECT_EQ(turns, speed_kinds(kind.type)[i] == SpeedKind::kAngle) << kind.name << " " << i;
    }
  });
}

TEST_F(JointKinds, HaveOrthonormalColumnsWhereTheTableSaysSo) {
  for_all([](const JointKind& kind, const JointMotion& motion) {
    double worst = 0.0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(kind.nv); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const double product = dot(motion.Hw[i], motion.Hw[j]) + dot(motion.Hv[i], motion.Hv[j]);
        worst = std::max(worst, std::abs(product - (i == j ? 1.0 : 0.0)));
      }
    }
    EXPECT_EQ(worst < kRounding, kind.orthonormal) << kind.name;
  });
}

TEST_F(JointKinds, HoldAPointOrSlideAsTheTableSays) {
  for_all([](const JointKind& kind, const JointMotion& motion) {
    const Vector3 p = motion.p.eigen();
    EXPECT_EQ(p.norm() < kRounding, kind.holds_point) << kind.name;
    if (kind.slides_along < 0) return;
    EXPECT_NEAR(p.norm(), std::abs(p[kind.slides_along]), kRounding) << kind.name;
  });
}

TEST_F(JointKinds, StayInAPlaneAsTheTableSays) {
  for_all([](const JointKind& kind, const JointMotion& motion) {
    if (kind.planar == PlanarRole::kNone) return;
    const bool turns = kind.planar == PlanarRole::kTurn || kind.planar == PlanarRole::kSlideAndTurn;
    EXPECT_EQ(kind.rotation, turns ? JointRotation::kAboutZ : JointRotation::kNone) << kind.name;
    const int along = kind.planar == PlanarRole::kSlide ? 2 : 0;
    const bool slides = kind.planar == PlanarRole::kSlide || kind.planar == PlanarRole::kSlideAndTurn;
    EXPECT_EQ(kind.slides_along, slides ? along : -1) << kind.name;
    EXPECT_EQ(motion.p.eigen().norm() > kRounding, slides) << kind.name;
  });
}

}  // namespace
}  // namespace kinloop
