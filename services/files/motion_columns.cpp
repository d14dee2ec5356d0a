// Coordinates follow the order of the file's joints, which the tree need not.
#include "services/files/motion_columns.hpp"

#include "services/files/coordinate_dimensions.hpp"

namespace kinloop {
namespace {

MotionQuantity position_quantity(const JointKind& kind, int i, const std::vector<Dimension>& dimensions) {
  if (kind.quaternion >= 0 && i >= kind.quaternion) return MotionQuantity::kQuaternion;
  return dimensions[static_cast<std::size_t>(i)] == Dimension::length() ? MotionQuantity::kPosition
                                                                        : MotionQuantity::kAngle;
}

/// Whether speed i of the model is that of a length, and not of an angle.
std::vector<bool> linear_speeds(const Model& model) {
  std::vector<bool> linear(static_cast<std::size_t>(model.nv()));
  for (int k = 1; k < model.body_count(); ++k) {
    const std::vector<CoordinateDimensions> dimensions = coordinate_dimensions(model.body(k).joint);
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      linear[static_cast<std::size_t>(model.body(k).v) + i] = dimensions[i].position == Dimension::length();
    }
  }
  return linear;
}

}  // namespace

std::vector<MotionColumn> position_columns(const Model& model) {
  std::vector<MotionColumn> q(static_cast<std::size_t>(model.nq()));
  for (int k = 1; k < model.body_count(); ++k) {
    const JointKind& kind = joint_kind(model.body(k).joint);
    const std::vector<Dimension> dimensions = position_dimensions(kind.type);
    for (int i = 0; i < kind.nq; ++i) {
      q[static_cast<std::size_t>(model.body(k).q + i)] = {
          "q." + model.joint_name(k) + (kind.nq > 1 ? "." + std::to_string(i) : ""),
          position_quantity(kind, i, dimensions)};
    }
  }
  return q;
}

std::vector<MotionColumn> motion_columns(const Model& model) {
  std::vector<MotionColumn> columns = {{"t", MotionQuantity::kTime}};
  const std::vector<MotionColumn> q = position_columns(model);
  columns.insert(columns.end(), q.begin(), q.end());
  const std::vector<bool> linear = linear_speeds(model);
  for (int i = 0; i < model.nv(); ++i) {
    columns.push_back({"u." + model.speed_name(i),
                       linear[static_cast<std::size_t>(i)] ? MotionQuantity::kSpeed : MotionQuantity::kAngularSpeed});
  }
  columns.push_back({"kinetic_J", MotionQuantity::kEnergy});
  columns.push_back({"potential_J", MotionQuantity::kEnergy});
  if (model.has_loops()) {
    columns.push_back({"closure_error", MotionQuantity::kClosure});
    columns.push_back({"closure_rate", MotionQuantity::kClosure});
  }
  for (const int i : model.driven_speeds()) {
    columns.push_back({"drive." + model.speed_name(i),
                       linear[static_cast<std::size_t>(i)] ? MotionQuantity::kForce : MotionQuantity::kTorque});
  }
  for (const LoopJoint& loop : model.loops()) {
    const std::vector<CoordinateDimensions> dimensions = coordinate_dimensions(loop.type);
    for (const LoopDrive& drive : loop.drives) {
      const bool is_length = dimensions[static_cast<std::size_t>(drive.coordinate)].position == Dimension::length();
      columns.push_back(
          {"drive." + drive_name(loop, drive), is_length ? MotionQuantity::kForce : MotionQuantity::kTorque});
    }
  }
  return columns;
}

}  // namespace kinloop
