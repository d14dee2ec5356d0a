// Reads poses: a point, and a rotation in whichever of the five ways the file chose.
#include "services/files/pose_reader.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace kinloop {
namespace {

constexpr double kLeastLength = 1e-9;        // a shorter direction is noise
constexpr double kUnitTolerance = 1e-3;      // of a quaternion's squared length; what a few written digits keep
constexpr double kParallelTolerance = 1e-6;  // sine of the angle below which x does not say how to turn about z

constexpr std::array<std::string_view, 5> kRotations{"R", "rpy", "axis", "quaternion", "z"};

Matrix3 from_rpy(const Vector3& rpy) {
  return (Eigen::AngleAxisd(rpy.z(), Vector3::UnitZ()) * Eigen::AngleAxisd(rpy.y(), Vector3::UnitY()) *
          Eigen::AngleAxisd(rpy.x(), Vector3::UnitX()))
      .toRotationMatrix();
}

Matrix3 read_axis_angle(Fields& pose) {
  const std::optional<Vector3> axis = read_direction(pose, "axis");
  if (!pose.has("angle")) {
    pose.error("axis", "needs an 'angle' to turn by; to point the z axis along a direction, write 'z'");
    return Matrix3::Identity();
  }
  const double angle_rad = pose.number("angle", Dimension::angle());
  if (!axis) return Matrix3::Identity();
  return Eigen::AngleAxisd(angle_rad, axis->normalized()).toRotationMatrix();
}

Matrix3 read_quaternion(Fields& pose) {
  const std::optional<std::vector<double>> q = pose.optional_numbers("quaternion", Dimension::none());
  if (!q) return Matrix3::Identity();
  if (q->size() != 4) {
    pose.error("quaternion", "expected 4 numbers (w, x, y, z), got " + std::to_string(q->size()));
    return Matrix3::Identity();
  }
  const Eigen::Quaterniond quaternion((*q)[0], (*q)[1], (*q)[2], (*q)[3]);
  if (!(std::abs(quaternion.squaredNorm() - 1.0) < kUnitTolerance)) {
    pose.error("quaternion", "the quaternion (w, x, y, z) must have length 1");
    return Matrix3::Identity();
  }
  return quaternion.normalized().toRotationMatrix();
}

Matrix3 read_z_and_x(Fields& pose) {
  const std::optional<Vector3> z = read_direction(pose, "z");
  const std::optional<Vector3> x = read_direction(pose, "x");
  if (!z) return Matrix3::Identity();
  if (!x) return rotation_with_z_along(*z);
  const Vector3 unit_z = z->normalized();
  const Vector3 y = unit_z.cross(x->normalized());
  if (!(y.norm() > kParallelTolerance)) {
    pose.error("x", "is parallel to z");
    return Matrix3::Identity();
  }
  Matrix3 R;
  R.col(2) = unit_z;
  R.col(1) = y.normalized();
  R.col(0) = R.col(1).cross(unit_z);
  return R;
}

Matrix3 read_rotation(Fields& pose, std::string_view way) {
  if (way == "R") return pose.matrix3("R", Dimension::none());
  if (way == "rpy") return from_rpy(pose.vector3("rpy", Dimension::angle()));
  if (way == "axis") return read_axis_angle(pose);
  if (way == "quaternion") return read_quaternion(pose);
  return read_z_and_x(pose);
}

}  // namespace

Matrix3 rotation_with_z_along(const Vector3& direction) {
  const Vector3 z = direction.normalized();
  if (z.z() < -1.0 + 1e-15) return Vector3(1.0, -1.0, -1.0).asDiagonal();
  return Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), z).toRotationMatrix();
}

std::optional<Vector3> read_direction(Fields& fields, std::string_view key) {
  std::optional<Vector3> direction = fields.optional_vector3(key, Dimension::none());
  if (!direction) return std::nullopt;
  if (!(direction->norm() > kLeastLength)) {
    fields.error(key, "has no length, so it is no direction");
    return std::nullopt;
  }
  return direction;
}

ReadPose read_pose(Fields& parent, std::string_view key) {
  ReadPose read;
  std::optional<Fields> pose = parent.optional_child(key);
  if (!pose) return read;
  read.pose.p = pose->optional_vector3("p", Dimension::length()).value_or(Vector3::Zero());
  std::string_view chosen;
  for (const std::string_view way : kRotations) {
    if (!pose->has(way)) continue;
    if (read.has_rotation) {
      pose->error(way, "the rotation is already given by '" + std::string(chosen) + "'");
      continue;
    }
    read.has_rotation = true;
    chosen = way;
    read.pose.R = read_rotation(*pose, way);
  }
  if (chosen != "axis" && pose->has("angle")) pose->error("angle", "needs an 'axis' to turn about");
  if (chosen != "z" && pose->has("x")) pose->error("x", "only stands beside 'z'");
  pose->finish();
  return read;
}

}  // namespace kinloop
