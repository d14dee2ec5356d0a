// Owns Model: the immutable, flat form of a mechanism that every sweep reads. Made only by compile().
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/joints/joint.hpp"
#include "core/joints/subspaces.hpp"
#include "core/model/model_spec.hpp"
#include "core/spatial/types.hpp"
#include "core/spatial/vec3.hpp"

namespace kinloop {

/// What the sweeps need to know of body k and its inboard joint (joint k), in one place in memory.
///
/// The reference frame of body k is frame B of its inboard joint, so that its origin x_k is the joint point and a
/// revolute axis is the z axis: this choice makes most motion columns constant.
struct BodyConstants {
  Mat3 R_PA;  // frame A of the inboard joint in the reference frame of the parent
  Vec3 p_PA;
  Mat3 inertia;       // about x_k, axes of the reference frame
  Vec3 first_moment;  // mass times centre of mass
  double mass = 0.0;
  int parent = -1;
  JointType joint = JointType::kFixed;
  int q = 0;  // first coordinate
  int v = 0;  // first speed
  int nv = 0;
  bool driven = false;  // some coordinate is prescribed
  decltype(JointKind::evaluate) evaluate = nullptr;
};

/// What acts along speed coordinate i. Only scalar coordinates have springs, limits and motions.
struct CoordinateConstants {
  int q = -1;  // the scalar coordinate whose derivative this speed is, -1 for the speeds of a quaternion
  int body = 0;
  double stiffness = 0.0, rest = 0.0, damping = 0.0, force = 0.0;
  double dry_friction = 0.0, friction_speed = 1.0;
  double armature = 0.0;  // rotor inertia times gear ratio squared
  bool limited = false;
  double lower = 0.0, upper = 0.0, limit_stiffness = 0.0, limit_damping = 0.0;
  int motion = -1;  // index into motions(), or -1

  bool has_force() const noexcept {
    return stiffness != 0.0 || damping != 0.0 || force != 0.0 || dry_friction != 0.0 || limited;
  }
};

/// A coordinate of a closing joint whose motion is prescribed.
struct LoopDrive {
  int coordinate = 0;
  int motion = 0;  // index into motions()
};

/// A joint that closes a loop, frames in the reference frames of its bodies.
struct LoopJoint {
  std::string name;
  JointType type = JointType::kFixed;
  int predecessor = 0;
  int successor = 0;
  Mat3 R_PA, R_SB;
  Vec3 p_PA, p_SB;
  JointParameters parameters;
  std::vector<LoopDrive> drives;  // in the order of its coordinates
  // In the axes of A, at rest: valid always where they are constant. Then all loops of a type without drives share
  // them, so that they stay near the processor however many loops there are.
  std::shared_ptr<const JointSubspaces> directions;
  bool constant = false;
  JointRotation rotation = JointRotation::kOther;
  bool same_root = false;  // both bodies hang on the same body next to the ground

  DrivenCoordinates driven() const noexcept {
    DrivenCoordinates driven;
    for (const LoopDrive& drive : drives) driven.set(static_cast<std::size_t>(drive.coordinate));
    return driven;
  }
};

/// "joint" where it has one coordinate, "joint.2" for the others.
std::string drive_name(const LoopJoint& loop, const LoopDrive& drive);

/// Point-to-point spring, damper and force; points in the reference frames.
struct PointSpring {
  std::string name;
  int body_a = 0, body_b = 0;
  Vec3 point_a, point_b;
  double stiffness = 0.0, rest_length = 0.0, damping = 0.0, force = 0.0;
};

struct Bushing {
  std::string name;
  int body_a = 0, body_b = 0;
  Pose X_A, X_B;  // in the reference frames
  Vector3 stiffness, damping, rotational_stiffness, rotational_damping;
};

/// Points in the reference frames.
struct Rope {
  std::string name;
  int body_a = 0, body_b = 0;
  Vec3 point_a, point_b;
  double length = 0.0, stiffness = 0.0, dissipation = 0.0;
  int q_winch = -1, v_winch = -1;  // -1: none
  double pay_out = 0.0;
};

/// A side of a body that contacts touch; point and outward normal in the reference frame.
struct Plane {
  std::string name;
  int body = 0;
  Vec3 point, normal;
  PlaneKind kind = PlaneKind::kFirm;
  double stiffness = 0.0, dissipation = 0.0, friction = 0.0, friction_speed = 1.0, digging = 0.0, max_force = 0.0;
};

/// One point of a contact against one plane: the sphere, or a corner of the box with radius zero.
struct ContactPoint {
  int contact = 0;  // index into spec().contacts
  int plane = 0;    // index into planes()
  int body = 0;
  Vec3 centre;  // in the reference frame
  double radius = 0.0;
};

/// q[q_dependent] = ratio * q[q_of] + offset.
struct Coupling {
  std::string name;
  int q_dependent = 0, q_of = 0;
  int v_dependent = 0, v_of = 0;
  double ratio = 1.0, offset = 0.0;
};

/// Of the constraints over the speeds that are not driven, at nearly all closed positions: fewer is a singular
/// position. -1 where the initial position cannot be closed nearby, or the mechanism is too large to be looked at.
struct GenericRank {
  int all = -1;
  int loops = -1;  // without couplings
};

class Model;
using CompileErrors = std::vector<Error>;

/// Checks the description as a whole and flattens it; errors name field paths ("joints[3].successor"), all at once.
/// Without the generic rank: compile() (core/constraints/compile.hpp) is what finds that too.
Result<Model, CompileErrors> build_model(const ModelSpec& spec);

class Model {
 public:
  /// Bodies are numbered parents first; body 0 is the ground, joint k leads from the parent of body k to body k.
  int body_count() const noexcept { return static_cast<int>(bodies_.size()); }
  int nq() const noexcept { return nq_; }
  int nv() const noexcept { return nv_; }
  bool has_loops() const noexcept { return !loops_.empty() || !couplings_.empty(); }

  std::span<const BodyConstants> bodies() const noexcept { return bodies_; }
  const BodyConstants& body(int k) const noexcept { return bodies_[static_cast<std::size_t>(k)]; }
  std::span<const CoordinateConstants> coordinates() const noexcept { return coordinates_; }
  const CoordinateConstants& coordinate(int i) const noexcept { return coordinates_[static_cast<std::size_t>(i)]; }
  std::span<const LoopJoint> loops() const noexcept { return loops_; }
  std::span<const PointSpring> springs() const noexcept { return springs_; }
  std::span<const Bushing> bushings() const noexcept { return bushings_; }
  std::span<const Rope> ropes() const noexcept { return ropes_; }
  std::span<const Plane> planes() const noexcept { return planes_; }
  /// Every pair of a point and a plane that may touch.
  std::span<const ContactPoint> contact_points() const noexcept { return contact_points_; }
  std::span<const Coupling> couplings() const noexcept { return couplings_; }
  std::span<const ScalarFunction> motions() const noexcept { return motions_; }
  const JointParameters& joint_parameters(int k) const noexcept { return parameters_[static_cast<std::size_t>(k)]; }
  const Vector3& gravity() const noexcept { return gravity_; }
  /// The length that makes angles and distances comparable: mean distance between joints, centres of mass and loop
  /// frames inside the bodies, 1 m where all coincide. Does not depend on the state, nor on where the mechanism stands.
  double length_m() const noexcept { return length_m_; }

  const GenericRank& generic_rank() const noexcept { return generic_rank_; }
  /// Per loop joint the length of its own loop, by which its rows are judged; found by compile().
  std::span<const double> loop_lengths_m() const noexcept { return loop_lengths_m_; }

  /// Speeds that carry a spring, damper, constant force, friction or limit; speeds that are prescribed.
  std::span<const int> loaded_speeds() const noexcept { return loaded_speeds_; }
  std::span<const int> driven_speeds() const noexcept { return driven_speeds_; }
  /// Bodies whose joint has a unit quaternion.
  std::span<const int> quaternion_bodies() const noexcept { return quaternion_bodies_; }

  /// The frame in which the file describes body k, in the reference frame of body k.
  const Pose& body_frame(int k) const noexcept { return body_frames_[static_cast<std::size_t>(k)]; }
  const std::string& name() const noexcept { return spec_.name; }
  const std::string& body_name(int k) const noexcept { return body_names_[static_cast<std::size_t>(k)]; }
  const std::string& joint_name(int k) const noexcept { return joint_names_[static_cast<std::size_t>(k)]; }
  /// "joint" for single-speed joints, "joint.2" for the others.
  std::string speed_name(int i) const;
  /// -1 where there is no such body.
  int find_body(std::string_view name) const noexcept;
  int find_joint(std::string_view name) const noexcept;

  const VectorX& initial_q() const noexcept { return initial_q_; }
  const VectorX& initial_v() const noexcept { return initial_v_; }
  /// What is unusual but no error: "bodies[2].inertia: breaks the triangle inequality".
  const std::vector<Error>& warnings() const noexcept { return warnings_; }
  /// The description this model was made from.
  const ModelSpec& spec() const noexcept { return spec_; }

 private:
  friend class ModelBuilder;
  friend Result<Model, CompileErrors> compile(const ModelSpec& spec);
  Model() = default;

  ModelSpec spec_;
  std::vector<BodyConstants> bodies_;
  std::vector<CoordinateConstants> coordinates_;
  std::vector<JointParameters> parameters_;
  std::vector<LoopJoint> loops_;
  std::vector<PointSpring> springs_;
  std::vector<Bushing> bushings_;
  std::vector<Rope> ropes_;
  std::vector<Plane> planes_;
  std::vector<ContactPoint> contact_points_;
  std::vector<Coupling> couplings_;
  std::vector<ScalarFunction> motions_;
  std::vector<int> loaded_speeds_, driven_speeds_, quaternion_bodies_;
  std::vector<Pose> body_frames_;
  std::vector<std::string> body_names_, joint_names_;
  std::vector<Error> warnings_;
  VectorX initial_q_, initial_v_;
  Vector3 gravity_ = Vector3::Zero();
  double length_m_ = 1.0;
  GenericRank generic_rank_;
  std::vector<double> loop_lengths_m_;
  int nq_ = 0, nv_ = 0;
};

}  // namespace kinloop
