// Implements the descriptions.
#include "tests/support/resting_bodies.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace kinloop::mechanisms {
namespace {

constexpr double kMass_kg = 2.0;
constexpr double kStiffness = 20e3;

PlaneSpec firm_plane() {
  PlaneSpec plane;
  plane.name = "floor";
  plane.stiffness = kStiffness;
  return plane;
}

}  // namespace

ModelSpec free_body_at(double height_m) {
  ModelSpec spec;
  spec.name = "free_body";
  BodySpec body;
  body.name = "body";
  body.mass = kMass_kg;
  body.inertia = Vector3::Constant(0.02).asDiagonal();
  spec.bodies = {body};
  JointSpec joint;
  joint.name = "free";
  joint.type = JointType::kFree;
  joint.predecessor = kGround;
  joint.successor = "body";
  joint.initial_q = {0.0, 0.0, height_m, 1.0, 0.0, 0.0, 0.0};
  spec.joints = {joint};
  return spec;
}

ModelSpec ball_over_plane(double height_m) {
  ModelSpec spec = free_body_at(height_m);
  spec.planes = {firm_plane()};
  ContactSpec contact;
  contact.name = "ball";
  contact.body = "body";
  contact.size = Vector3(0.1, 0.0, 0.0);
  spec.contacts = {contact};
  return spec;
}

ModelSpec box_on_incline(double slope_rad, double friction) {
  ModelSpec spec = free_body_at(0.0);
  PlaneSpec plane = firm_plane();
  plane.frame.R = Eigen::AngleAxisd(-slope_rad, Vector3::UnitY()).toRotationMatrix();
  plane.dissipation = 2.0;
  plane.friction = friction;
  spec.planes = {plane};
  ContactSpec contact;
  contact.name = "box";
  contact.body = "body";
  contact.shape = ContactShape::kBox;
  contact.size = Vector3::Constant(0.2);
  spec.contacts = {contact};
  const double depth_m = kMass_kg * 9.81 * std::cos(slope_rad) / (4.0 * kStiffness);
  const Vector3 centre = (0.1 - depth_m) * plane.frame.R.col(2);
  spec.joints[0].initial_q = {
      centre.x(), centre.y(), centre.z(), std::cos(0.5 * slope_rad), 0.0, -std::sin(0.5 * slope_rad), 0.0};
  return spec;
}

}  // namespace kinloop::mechanisms
