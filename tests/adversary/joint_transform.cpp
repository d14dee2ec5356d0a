// Builds the transforms of scalar jets, so that velocities and accelerations follow by themselves.
#include "tests/adversary/joint_transform.hpp"

#include <cmath>
#include <numbers>

namespace kinloop::adversary {
namespace {

using JetMatrix = std::array<std::array<Jet, 3>, 3>;
using JetVector = std::array<Jet, 3>;

JetMatrix turn_about_z(const Jet& angle) {
  const Jet s = sin(angle), c = cos(angle);
  return {{{c, Jet() - s, Jet()}, {s, c, Jet()}, {Jet(), Jet(), Jet(1)}}};
}

/// Rx(a) Ry(b).
JetMatrix turn_about_x_y(const Jet& a, const Jet& b) {
  const Jet sa = sin(a), ca = cos(a), sb = sin(b), cb = cos(b);
  return {{{cb, Jet(), sb}, {sa * sb, ca, Jet() - sa * cb}, {Jet() - ca * sb, sa, ca * cb}}};
}

JetMatrix turn_by(const std::array<Jet, 4>& e) {
  const Jet& w = e[0];
  const Jet& x = e[1];
  const Jet& y = e[2];
  const Jet& z = e[3];
  const Jet two(2);
  return {{{w * w + x * x - y * y - z * z, two * (x * y - w * z), two * (x * z + w * y)},
           {two * (x * y + w * z), w * w - x * x + y * y - z * z, two * (y * z - w * x)},
           {two * (x * z - w * y), two * (y * z + w * x), w * w - x * x - y * y + z * z}}};
}

/// Quaternion times the pure quaternion of a vector: half of it is the rate under an angular velocity in B.
std::array<Real, 4> times(const std::array<Real, 4>& e, const Real* o) {
  return {-e[1] * o[0] - e[2] * o[1] - e[3] * o[2], e[0] * o[0] + e[2] * o[2] - e[3] * o[1],
          e[0] * o[1] + e[3] * o[0] - e[1] * o[2], e[0] * o[2] + e[1] * o[1] - e[2] * o[0]};
}

JetMatrix quaternion_turn(const Real* q, const Real* omega_B) {
  std::array<Real, 4> e{q[0], q[1], q[2], q[3]};
  const Real norm = std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  for (Real& part : e) part /= norm;
  std::array<Real, 4> rate = times(e, omega_B);
  for (Real& part : rate) part /= 2;
  std::array<Real, 4> bend = times(rate, omega_B);
  for (Real& part : bend) part /= 2;
  std::array<Jet, 4> jets;
  for (std::size_t i = 0; i < 4; ++i) jets[i] = Jet(e[i], rate[i], bend[i]);
  return turn_by(jets);
}

PoseJet packed(const JetMatrix& R, const JetVector& p) {
  PoseJet X;
  for (int i = 0; i < 3; ++i) {
    const Jet& pi = p[static_cast<std::size_t>(i)];
    X.p.f[i] = pi.f;
    X.p.d[i] = pi.d;
    X.p.dd[i] = pi.dd;
    for (int j = 0; j < 3; ++j) {
      const Jet& r = R[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      X.R.f(i, j) = r.f;
      X.R.d(i, j) = r.d;
      X.R.dd(i, j) = r.dd;
    }
  }
  return X;
}

Real angle_about_z(const Matrix3R& R) { return std::atan2(R(1, 0) - R(0, 1), R(0, 0) + R(1, 1)); }

/// Of a rotation; the largest component is found first, so that nothing is divided by a small number.
void quaternion_of(const Matrix3R& R, Real* e) {
  const std::array<Real, 4> squares{1 + R(0, 0) + R(1, 1) + R(2, 2), 1 + R(0, 0) - R(1, 1) - R(2, 2),
                                    1 - R(0, 0) + R(1, 1) - R(2, 2), 1 - R(0, 0) - R(1, 1) + R(2, 2)};
  std::size_t k = 0;
  for (std::size_t i = 1; i < 4; ++i) {
    if (squares[i] > squares[k]) k = i;
  }
  const Vector3R skew(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
  const Real big = std::sqrt(squares[k]) / 2;
  e[k] = big;
  if (k == 0) {
    for (int i = 0; i < 3; ++i) e[i + 1] = skew[i] / (4 * big);
    return;
  }
  const int a = static_cast<int>(k) - 1;
  e[0] = skew[a] / (4 * big);
  for (int i = 0; i < 3; ++i) {
    if (i != a) e[i + 1] = (R(a, i) + R(i, a)) / (4 * big);
  }
}

}  // namespace

Jet function_value(const FunctionSpec& function, const Jet& x) {
  Jet sum;
  for (auto c = function.polynomial.rbegin(); c != function.polynomial.rend(); ++c) sum = sum * x + Jet(*c);
  for (std::size_t k = 0; k < function.harmonics.size(); ++k) {
    const Jet angle = Jet(static_cast<Real>(k + 1) * function.frequency_rad) * x;
    sum = sum + Jet(function.harmonics[k][0]) * cos(angle) + Jet(function.harmonics[k][1]) * sin(angle);
  }
  return sum;
}

JointSize joint_size(JointType type) {
  switch (type) {
    case JointType::kFixed:
      return {0, 0, -1};
    case JointType::kRevolute:
    case JointType::kPrismatic:
    case JointType::kScrew:
      return {1, 1, -1};
    case JointType::kCylindrical:
    case JointType::kUniversal:
    case JointType::kPinSlot:
    case JointType::kCam:
      return {2, 2, -1};
    case JointType::kSpherical:
      return {4, 3, 0};
    case JointType::kPlanar:
      return {3, 3, -1};
    case JointType::kFree:
      return {7, 6, 3};
  }
  return {0, 0, -1};
}

bool slides(const JointSpec& joint, int i) {
  return joint.type == JointType::kPrismatic || (joint.type == JointType::kCylindrical && i == 1) ||
         (joint.type == JointType::kPlanar && i < 2) || (joint.type == JointType::kFree && i < 3) ||
         (joint.type == JointType::kPinSlot && i == 0);
}

PoseJet joint_pose(const JointSpec& joint, const Coordinates& q, const Speeds& u) {
  const auto scalar = [&](std::size_t i) { return Jet(q[i], u[i]); };
  const JetMatrix still = turn_about_z(Jet());
  const Jet none;
  switch (joint.type) {
    case JointType::kFixed:
      return {};
    case JointType::kRevolute:
      return packed(turn_about_z(scalar(0)), {});
    case JointType::kPrismatic:
      return packed(still, {none, none, scalar(0)});
    case JointType::kScrew:
      return packed(turn_about_z(scalar(0)), {none, none, Jet(joint.pitch) * scalar(0)});
    case JointType::kCylindrical:
      return packed(turn_about_z(scalar(0)), {none, none, scalar(1)});
    case JointType::kUniversal:
      return packed(turn_about_x_y(scalar(0), scalar(1)), {});
    case JointType::kSpherical:
      return packed(quaternion_turn(q.data(), u.data()), {});
    case JointType::kPlanar:
      return packed(turn_about_z(scalar(2)), {scalar(0), scalar(1), none});
    case JointType::kFree:
      return packed(quaternion_turn(q.data() + 3, u.data() + 3), {scalar(0), scalar(1), scalar(2)});
    case JointType::kPinSlot:
      return packed(turn_about_z(scalar(1)), {scalar(0), none, none});
    case JointType::kCam: {
      const Jet radius = function_value(*joint.profile, scalar(0));
      return packed(turn_about_z(scalar(1)), {radius * cos(scalar(0)), radius * sin(scalar(0)), none});
    }
  }
  return {};
}

Eigen::Matrix<Real, 6, Eigen::Dynamic> joint_columns(const JointSpec& joint, const Coordinates& q) {
  const int nv = joint_size(joint.type).nv;
  Eigen::Matrix<Real, 6, Eigen::Dynamic> H(6, nv);
  for (int i = 0; i < nv; ++i) {
    Speeds u{};
    u[static_cast<std::size_t>(i)] = 1;
    const PoseJet X = joint_pose(joint, q, u);
    H.col(i) << X.R.angular_velocity(), X.p.d;
  }
  return H;
}

Coordinates fitted_coordinates(const JointSpec& joint, const PoseR& X) {
  Coordinates q{};
  switch (joint.type) {
    case JointType::kFixed:
      break;
    case JointType::kRevolute:
      q[0] = angle_about_z(X.R);
      break;
    case JointType::kScrew: {
      constexpr Real kTurn = 2 * std::numbers::pi_v<Real>;
      q[0] = angle_about_z(X.R);
      if (joint.pitch != 0.0) q[0] += kTurn * std::round((X.p.z() / joint.pitch - q[0]) / kTurn);
      break;
    }
    case JointType::kPrismatic:
      q[0] = X.p.z();
      break;
    case JointType::kCylindrical:
      q = {angle_about_z(X.R), X.p.z()};
      break;
    case JointType::kUniversal:
      q = {std::atan2(X.R(2, 1), X.R(1, 1)), std::atan2(X.R(0, 2), X.R(0, 0))};
      break;
    case JointType::kSpherical:
      quaternion_of(X.R, q.data());
      break;
    case JointType::kPlanar:
      q = {X.p.x(), X.p.y(), angle_about_z(X.R)};
      break;
    case JointType::kFree:
      q = {X.p.x(), X.p.y(), X.p.z()};
      quaternion_of(X.R, q.data() + 3);
      break;
    case JointType::kPinSlot:
      q = {X.p.x(), angle_about_z(X.R)};
      break;
    case JointType::kCam:
      q = {std::atan2(X.p.y(), X.p.x()), angle_about_z(X.R)};
      break;
  }
  return q;
}

}  // namespace kinloop::adversary
