// Owns the interface of a joint type: what it does to frames and motions. One file a type, one entry in table.cpp.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "core/joints/joint_type.hpp"
#include "core/math/scalar_function.hpp"
#include "core/spatial/spatial_vector.hpp"
#include "core/spatial/vec3.hpp"

namespace kinloop {

/// What a joint type needs to know besides its coordinates.
struct JointParameters {
  double pitch = 0.0;      // screw, metres per radian
  ScalarFunction profile;  // cam, radius over angle
};

/// Pose and motion of frame B relative to A, in the axes of A, at the origin of B (docs/theory/conventions.md §3).
struct JointMotion {
  Mat3 R;                  // R_AB
  Vec3 p;                  // origin of B in A
  std::array<Vec3, 6> Hw;  // motion columns, angular and linear part, one per velocity coordinate
  std::array<Vec3, 6> Hv;
  Vec3 bw;  // acceleration at vdot = 0 caused by the joint's own speeds
  Vec3 bv;
};

/// Whether a speed is that of an angle or of a length; a scalar coordinate is what its speed is the rate of.
enum class SpeedKind { kAngle, kLength };

/// How frame B may turn against A.
enum class JointRotation {
  kNone,     // not at all
  kAboutZ,   // about the z-axis that both share
  kTwoAxes,  // about x of A, then about y of B
  kOther,    // about all axes, or as its coordinates say
};

/// What the joint does in a mechanism that moves in the plane square to its axis, or along it.
enum class PlanarRole {
  kNone,          // leaves the plane
  kRigid,         // nothing
  kTurn,          // about z
  kSlide,         // along z
  kSlideAndTurn,  // along x, then about z
};

/// The sign of a joint in a figure, after ISO 3952.
enum class JointMark {
  kNothing,
  kBlock,
  kRing,
  kCrossedRing,
  kBall,
  kRoller,
  kSlider,
  kRoundSlider,
  kThreadedSlider,
  kPlate,
  kSlot,
};

/// How a joint from A to B becomes one of its type from B to A.
enum class JointReversal {
  kNone,              // not of its type
  kExchange,          // the frames change places
  kHalfTurn,          // both turned about x by half a turn: the coordinates keep their signs
  kSwapAxes,          // x becomes -y and y -x, and the two coordinates change places
  kInvertPose,        // the coordinates are those of the inverse pose
  kInvertPoseAtRest,  // likewise; forces and speeds along the coordinates have no counterpart
};

/// How the motion column of speed 0 changes with q0 by itself: d(Hv)/dq0 and its derivative, in the axes of A.
struct ColumnBend {
  Vec3 first, second;
};

/// One joint type: all that others know about it.
struct JointKind {
  JointType type;
  std::string_view name;
  int nq;
  int nv;
  int quaternion = -1;  // offset of a unit quaternion (w, x, y, z) in q, or -1; it is turned by the last three of v
  void (*evaluate)(const JointParameters&, const double* q, const double* v, JointMotion& out) noexcept;
  /// The coordinates whose transform comes nearest to the given pose of B in A: exact if the joint allows that pose.
  void (*fit)(const JointParameters&, const Mat3& R, const Vec3& p, double* q) noexcept;
  /// What the joint blocks, where that changes with its coordinates: 6 - nv directions [w; v / L] of size 1, square to
  /// the motion columns and continuous in the coordinates, so that a row stays the same row. nullptr: constant.
  void (*blocked)(const JointMotion&, double length_m, SpatialVector* out) noexcept = nullptr;
  JointRotation rotation = JointRotation::kOther;
  std::array<SpeedKind, 6> speeds{};  // the first nv
  /// Bit j of entry i: moving along speed j carries the axis of column i along, as it carries the body. Else the column
  /// stays as it is in A.
  std::array<unsigned char, 6> carried{};
  /// What column 0 does besides; nullptr: nothing. No allocation.
  ColumnBend (*bend)(const JointParameters&, const double* q) noexcept = nullptr;
  PlanarRole planar = PlanarRole::kNone;
  bool orthonormal = true;   // the motion columns, so that force and motion along a speed share one direction
  bool holds_point = false;  // the origins of A and B stay together
  int axis = 2;              // of A, that says what the joint does in a picture; -1: none
  int slides_along = -1;     // axis of A
  JointMark mark = JointMark::kNothing;
  JointReversal reversal = JointReversal::kNone;
};

const JointKind& joint_kind(JointType type) noexcept;

/// All joint types, in the order of JointType.
std::span<const JointKind> joint_kinds() noexcept;

/// One per speed of the joint.
std::span<const SpeedKind> speed_kinds(JointType type) noexcept;

/// Rotation of a unit quaternion (w, x, y, z).
Mat3 rotation_from_quaternion(const double* quaternion) noexcept;

/// The unit quaternion (w >= 0) of a rotation.
void quaternion_from_rotation(const Mat3& R, double* quaternion) noexcept;

/// Rotation about z.
Mat3 rotation_z(double angle) noexcept;

/// Angle of the rotation about z nearest to R.
double angle_about_z(const Mat3& R) noexcept;

}  // namespace kinloop
