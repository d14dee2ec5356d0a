// Every joint type: its motion columns and biases against differences of its own transform.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <set>
#include <string_view>

#include "core/joints/joint.hpp"
#include "tests/support/random.hpp"

namespace kinloop {
namespace {

JointParameters parameters() {
  FunctionSpec profile;
  profile.polynomial = {0.3};
  profile.harmonics = {{0.05, 0.02}, {0.01, -0.03}};
  JointParameters result;
  result.pitch = 0.12;
  result.profile = ScalarFunction::make(profile, "profile").value();
  return result;
}

Eigen::Vector4d times_exp(const Eigen::Vector4d& p, const Vector3& rotation) {
  const Eigen::AngleAxisd turn(rotation.norm(),
                               rotation.norm() > 0.0 ? Vector3(rotation.normalized()) : Vector3::UnitX());
  const Eigen::Quaterniond q = Eigen::Quaterniond(p[0], p[1], p[2], p[3]) * Eigen::Quaterniond(turn);
  return {q.w(), q.x(), q.y(), q.z()};
}

/// q moved for dt with constant speeds.
std::vector<double> moved(const JointKind& kind, std::vector<double> q, const std::vector<double>& v, double dt) {
  const int scalars = kind.quaternion >= 0 ? kind.quaternion : kind.nq;
  for (int i = 0; i < scalars; ++i) q[static_cast<std::size_t>(i)] += dt * v[static_cast<std::size_t>(i)];
  if (kind.quaternion >= 0) {
    const auto at = static_cast<std::size_t>(kind.quaternion);
    const auto w = static_cast<std::size_t>(kind.nv - 3);
    const Eigen::Vector4d turned =
        times_exp(Eigen::Vector4d(q[at], q[at + 1], q[at + 2], q[at + 3]), dt * Vector3(v[w], v[w + 1], v[w + 2]));
    for (int i = 0; i < 4; ++i) q[at + static_cast<std::size_t>(i)] = turned[i];
  }
  return q;
}

struct Twist {
  Vec3 angular, linear;
};

class EveryJoint : public testing::TestWithParam<JointType> {
 protected:
  void SetUp() override {
    Random random(17);
    for (int i = 0; i < kind_.nq; ++i) q_.push_back(random.uniform(-1.0, 1.0));
    for (int i = 0; i < kind_.nv; ++i) v_.push_back(random.uniform(-1.0, 1.0));
    if (kind_.quaternion >= 0) {
      auto quaternion = Eigen::Map<Eigen::Vector4d>(q_.data() + kind_.quaternion);
      quaternion.normalize();
      if (quaternion[0] < 0.0) quaternion = -quaternion;
    }
  }

  JointMotion at(double dt) const {
    JointMotion motion;
    kind_.evaluate(parameters_, moved(kind_, q_, v_, dt).data(), v_.data(), motion);
    return motion;
  }

  /// Velocity of B relative to A at the speeds v, in A.
  Twist velocity(const JointMotion& motion) const {
    Twist twist;
    for (std::size_t i = 0; i < v_.size(); ++i) {
      twist.angular += v_[i] * motion.Hw[i];
      twist.linear += v_[i] * motion.Hv[i];
    }
    return twist;
  }

  const JointKind& kind_ = joint_kind(GetParam());
  const JointParameters parameters_ = parameters();
  std::vector<double> q_, v_;
};

constexpr double kStep = 1e-5;
constexpr double kDifferenceError = 1e-8;  // of a central difference with that step

TEST_P(EveryJoint, HasTheColumnsOfItsTransform) {
  const JointMotion now = at(0.0);
  const JointMotion before = at(-kStep);
  const JointMotion after = at(kStep);

  const Vector3 linear = (after.p - before.p).eigen() / (2.0 * kStep);
  const Matrix3 spin = (after.R.eigen() - before.R.eigen()) / (2.0 * kStep) * now.R.eigen().transpose();

  EXPECT_LT((velocity(now).linear.eigen() - linear).norm(), kDifferenceError);
  EXPECT_LT((velocity(now).angular.eigen() - Vector3(spin(2, 1), spin(0, 2), spin(1, 0))).norm(), kDifferenceError);
}

TEST_P(EveryJoint, HasTheBiasOfItsColumns) {
  const Twist before = velocity(at(-kStep));
  const Twist after = velocity(at(kStep));
  const JointMotion now = at(0.0);

  EXPECT_LT(((after.angular - before.angular).eigen() / (2.0 * kStep) - now.bw.eigen()).norm(), kDifferenceError);
  EXPECT_LT(((after.linear - before.linear).eigen() / (2.0 * kStep) - now.bv.eigen()).norm(), kDifferenceError);
}

TEST_P(EveryJoint, FindsItsCoordinatesFromThePose) {
  const JointMotion motion = at(0.0);
  std::vector<double> fitted(q_.size());

  kind_.fit(parameters_, motion.R, motion.p, fitted.data());

  for (std::size_t i = 0; i < q_.size(); ++i) EXPECT_NEAR(fitted[i], q_[i], 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Joints, EveryJoint,
                         testing::Values(JointType::kFixed, JointType::kRevolute, JointType::kPrismatic,
                                         JointType::kScrew, JointType::kCylindrical, JointType::kUniversal,
                                         JointType::kSpherical, JointType::kPlanar, JointType::kFree,
                                         JointType::kPinSlot, JointType::kCam),
                         [](const auto& joint) { return std::string(joint_kind(joint.param).name); });

TEST(JointTable, IsInTheOrderOfTheTypes) {
  int index = 0;
  for (const JointKind& kind : joint_kinds()) EXPECT_EQ(static_cast<int>(kind.type), index++);
  EXPECT_EQ(joint_kind(JointType::kUniversal).name, "universal");
}

TEST(JointTable, HasNoNameTwice) {
  std::set<std::string_view> names;
  for (const JointKind& kind : joint_kinds()) EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
}

}  // namespace
}  // namespace kinloop
