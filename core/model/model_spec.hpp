// Owns ModelSpec: the plain description of a mechanism, as a file states it. SI units, start-up only.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/joints/joint_type.hpp"
#include "core/math/scalar_function.hpp"
#include "core/spatial/types.hpp"

namespace kinloop {

/// The name of the body that does not move.
inline constexpr const char* kGround = "ground";

/// A stop at each end of a coordinate's range: a one-sided spring and damper.
struct LimitSpec {
  double lower = 0.0;
  double upper = 0.0;
  std::optional<double> stiffness;  // without it, compile() chooses one that stops the joint's own inertia stiffly
  std::optional<double> damping;    // without it, 0, or what suits the stiffness that compile() chose
};

/// What acts along one joint coordinate.
struct CoordinateSpec {
  double stiffness = 0.0;  // spring: -stiffness (q - rest) - damping u
  double rest = 0.0;
  double damping = 0.0;
  double force = 0.0;              // N or Nm, constant
  double dry_friction = 0.0;       // N or Nm, opposes u
  double friction_speed = 1.0e-2;  // speed over which dry friction is smoothed: F tanh(u / friction_speed)
  double rotor_inertia = 0.0;      // kg m^2 at the motor's side of the gear
  double gear_ratio = 1.0;         // motor turns per joint turn
  std::optional<LimitSpec> limit;
  std::optional<FunctionSpec> motion;  // prescribed q(t): the coordinate is driven, its force is a result
};

/// Frame A sits on the predecessor, B on the successor; the joint's transform takes A to B (docs/model-format.md).
struct JointSpec {
  std::string name;
  JointType type = JointType::kFixed;
  std::string predecessor;
  std::string successor;
  Pose frame_pred;                          // A in the predecessor's body frame
  Pose frame_succ;                          // B in the successor's body frame
  double pitch = 0.0;                       // screw: metres per radian
  std::optional<FunctionSpec> profile;      // cam: radius over angle
  std::vector<CoordinateSpec> coordinates;  // empty, or one per velocity coordinate
  std::vector<double> initial_q;            // empty: zero, identity rotation
  std::vector<double> initial_u;            // empty: zero
};

enum class ShapeKind { kBox, kCylinder, kCapsule, kSphere };

/// For the 3D view, and for mass properties where a density is given.
struct ShapeSpec {
  ShapeKind kind = ShapeKind::kBox;
  Vector3 size = Vector3::Zero();  // box: edges; cylinder, capsule: {radius, length along z, -}; sphere: {radius, -, -}
  Pose pose;                       // of the shape's centre in the body frame
  std::array<double, 3> colour = {0.7, 0.7, 0.75};
};

/// A body; mass 0 with zero inertia is a massless link, positive mass with zero inertia a point mass.
struct BodySpec {
  std::string name;
  double mass = 0.0;
  Vector3 com = Vector3::Zero();      // body frame
  Matrix3 inertia = Matrix3::Zero();  // about the centre of mass, body axes
  std::vector<ShapeSpec> shapes;
};

/// A named frame fixed to a body: what merged fixed links leave behind, and where sensors will sit.
struct FrameOnBodySpec {
  std::string name;
  std::string body;
  Pose pose;
};

/// Point-to-point spring and damper; the tension on a towards b is stiffness (L - rest_length) + damping dL/dt + force.
struct SpringSpec {
  std::string name;
  std::string body_a, body_b;
  Vector3 point_a = Vector3::Zero(), point_b = Vector3::Zero();  // body frames
  double stiffness = 0.0;
  double rest_length = 0.0;
  double damping = 0.0;
  double force = 0.0;  // constant tension, e.g. a gas spring's preload
};

/// Six-component linear spring and damper between frame A on one body and frame B on another, in the axes of A;
/// deflections: position of B in A, and the rotation vector of B relative to A.
struct BushingSpec {
  std::string name;
  std::string body_a, body_b;
  Pose frame_a, frame_b;
  Vector3 stiffness = Vector3::Zero(), damping = Vector3::Zero();
  Vector3 rotational_stiffness = Vector3::Zero(), rotational_damping = Vector3::Zero();
};

/// A rope between two points: no force while it is slack. Its tension is stiffness e (1 + dissipation de/dt), never
/// negative, with e = L - length - pay_out q(winch).
struct RopeSpec {
  std::string name;
  std::string body_a, body_b;
  Vector3 point_a = Vector3::Zero(), point_b = Vector3::Zero();  // body frames
  double length = 0.0;                                           // without tension, where the winch stands at zero
  double stiffness = 0.0;
  double dissipation = 0.0;  // s/m
  std::string winch;         // a joint with one coordinate that lets the rope out; empty: none
  double pay_out = 1.0;      // m of rope per rad or m of the winch
};

enum class PlaneKind { kFirm, kSoil };

/// A flat side of a body or of the ground that contacts touch; z of its frame points out of it. The numbers are those
/// of each point that touches, see core/forces/contact_law.hpp.
struct PlaneSpec {
  std::string name;
  std::string body = kGround;
  Pose frame;  // in the body frame
  PlaneKind kind = PlaneKind::kFirm;
  double stiffness = 0.0;
  double dissipation = 0.0;        // s/m
  double friction = 0.0;           // coefficient; firm only
  double friction_speed = 1.0e-2;  // m/s, over which friction and digging force are smoothed
  double digging = 0.0;            // N per m of depth, opposes the motion; soil only
  double max_force = 0.0;          // N; soil only
};

enum class ContactShape { kSphere, kBox };

/// A shape fixed to a body that planes push back: a sphere at its deepest point, a box at its corners.
struct ContactSpec {
  std::string name;
  std::string body;
  ContactShape shape = ContactShape::kSphere;
  Vector3 size = Vector3::Zero();   // sphere: {radius, -, -}; box: edges, of which some may be zero
  Pose pose;                        // of the centre in the body frame
  std::vector<std::string> planes;  // that it may touch; empty: all that are not on its own body
};

/// q(joint) = ratio * q(of) + offset, between single-coordinate joints: gears, belts, mimic joints.
struct CouplingSpec {
  std::string name;
  std::string joint;
  std::string of;
  double ratio = 1.0;
  double offset = 0.0;
};

struct ModelSpec {
  std::string name;
  std::string notes;
  Vector3 gravity = Vector3(0.0, 0.0, -9.81);
  std::vector<BodySpec> bodies;
  std::vector<JointSpec> joints;  // a spanning tree, in any order
  std::vector<JointSpec> loops;   // closing joints: no coordinates of their own
  std::vector<SpringSpec> springs;
  std::vector<BushingSpec> bushings;
  std::vector<RopeSpec> ropes;
  std::vector<PlaneSpec> planes;
  std::vector<ContactSpec> contacts;
  std::vector<CouplingSpec> couplings;
  std::vector<FrameOnBodySpec> frames;
  std::vector<ShapeSpec> scenery;  // fixed to the ground, for the 3D view
};

}  // namespace kinloop
