// Carries the normal from the ground to every body, through the frames of the joints.
#include "core/kinematics/motion_plane.hpp"

#include <array>
#include <cmath>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

/// Axes that differ by more are not parallel. Rounding of frames and of their products along a thousand joints stays
/// far below, and what such a tilt does to accelerations is below the digits that formulations agree in.
constexpr double kAxisTolerance = 1e-12;

/// Coordinates at which a joint is asked for its motion. Columns are analytic functions of the coordinates: what holds
/// at these holds at all of them.
constexpr std::array<double, 3> kSampleScales = {0.0, 0.37, -1.13};

JointMotion joint_at(JointType type, const JointParameters& parameters, double scale) {
  std::array<double, 7> q{};
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = scale * (1.0 + 0.1 * static_cast<double>(i));
  const int quaternion = joint_kind(type).quaternion;
  if (quaternion >= 0) {
    for (std::size_t i = 0; i < 4; ++i) q[at(quaternion) + i] = 0.5;
  }
  const std::array<double, 6> at_rest{};
  JointMotion motion;
  joint_kind(type).evaluate(parameters, q.data(), at_rest.data(), motion);
  return motion;
}

double size_of(const Vec3& a) noexcept { return std::sqrt(dot(a, a)); }

/// Whether the joint turns frame B about this direction of A only, and moves it square to the direction only.
bool stays_in_plane(JointType type, const JointParameters& parameters, const Vec3& normal) {
  for (const double scale : kSampleScales) {
    const JointMotion joint = joint_at(type, parameters, scale);
    if (size_of(joint.R * normal - normal) > kAxisTolerance) return false;
    for (std::size_t i = 0; i < at(joint_kind(type).nv); ++i) {
      if (size_of(cross(joint.Hw[i], normal)) > kAxisTolerance * size_of(joint.Hw[i])) return false;
      if (std::abs(dot(joint.Hv[i], normal)) > kAxisTolerance * size_of(joint.Hv[i])) return false;
    }
  }
  return true;
}

Vec3 unit(const Vec3& a) noexcept { return (1.0 / size_of(a)) * a; }

/// Any direction of unit length square to a.
Vec3 square_to(const Vec3& a) noexcept {
  const bool along_x = std::abs(a.x()) > std::abs(a.y()) && std::abs(a.x()) > std::abs(a.z());
  return unit(cross(a, along_x ? Vec3(0, 1, 0) : Vec3(1, 0, 0)));
}

/// The axis of the first joint that turns; where none does, a direction square to all slides. Bodies before the first
/// turning joint keep their attitude, whatever the state.
std::optional<Vec3> find_normal(const Model& model) {
  std::vector<Mat3> R(at(model.body_count()), identity3());
  std::optional<Vec3> slide;
  std::optional<Vec3> normal;
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    const Mat3 R_A = R[at(body.parent)] * body.R_PA;
    R[at(k)] = R_A;
    const JointMotion joint = joint_at(body.joint, model.joint_parameters(k), kSampleScales[1]);
    for (std::size_t i = 0; i < at(body.nv); ++i) {
      if (size_of(joint.Hw[i]) > 0.0) return unit(R_A * joint.Hw[i]);
      const Vec3 along = unit(R_A * joint.Hv[i]);
      if (!slide) slide = along;
      const Vec3 across = cross(*slide, along);
      if (!normal && size_of(across) > kAxisTolerance) normal = unit(across);
    }
  }
  if (!normal && slide) normal = square_to(*slide);
  return normal;
}

/// Of a joint with one speed.
double turn_of(const BodyConstants& body, const JointParameters& parameters, const Vec3& normal) {
  double turn = 0.0;
  for (const double scale : kSampleScales) {
    const JointMotion joint = joint_at(body.joint, parameters, scale);
    if (size_of(joint.Hv[0]) > 0.0) return 0.0;
    turn = std::round(dot(joint.Hw[0], normal));
  }
  return turn;
}

}  // namespace

MotionPlane::MotionPlane(const Model& model, const Vec3& normal)
    : normal_(normal),
      e1_(square_to(normal)),
      e2_(cross(normal, e1_)),
      to_plane_(transposed(Mat3(Vec3(), e1_, e2_))),
      to_turned_(transposed(Mat3(Vec3(), -e2_, e1_))),
      to_normal_(transposed(Mat3(normal, Vec3(), Vec3()))),
      inertia_(at(model.body_count())),
      turn_(at(model.nv())) {
  std::vector<Vec3> own(inertia_.size(), normal);  // normal in the axes of each body
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    own[at(k)] = transposed(body.R_PA) * own[at(body.parent)];
    inertia_[at(k)] = dot(own[at(k)], body.inertia * own[at(k)]);
    if (body.nv == 1) turn_[at(body.v)] = turn_of(body, model.joint_parameters(k), own[at(k)]);
  }
}

std::optional<MotionPlane> find_motion_plane(const Model& model) {
  const std::optional<Vec3> normal = find_normal(model);
  if (!normal) return std::nullopt;
  std::vector<Vec3> own(at(model.body_count()), *normal);
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    own[at(k)] = transposed(body.R_PA) * own[at(body.parent)];
    if (!stays_in_plane(body.joint, model.joint_parameters(k), own[at(k)])) return std::nullopt;
  }
  for (const LoopJoint& loop : model.loops()) {
    const Vec3 on_pred = transposed(loop.R_PA) * own[at(loop.predecessor)];
    const Vec3 on_succ = transposed(loop.R_SB) * own[at(loop.successor)];
    if (size_of(on_pred - on_succ) > kAxisTolerance) return std::nullopt;
    if (!stays_in_plane(loop.type, loop.parameters, on_pred)) return std::nullopt;
  }
  return MotionPlane(model, *normal);
}

}  // namespace kinloop
