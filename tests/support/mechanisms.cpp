// Builds the small mechanisms by hand.
#include "tests/support/mechanisms.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/constraints/compile.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop::mechanisms {
namespace {

/// From z to y: a joint's z axis becomes the body's y axis, its x axis stays.
Matrix3 z_to_y() {
  Matrix3 R;
  R << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  return R;
}

/// A thin rod along -z from its frame's origin.
BodySpec rod(const std::string& name, double length_m, double mass_kg) {
  BodySpec body;
  body.name = name;
  body.mass = mass_kg;
  body.com = Vector3(0.0, 0.0, -0.5 * length_m);
  const double across = mass_kg * length_m * length_m / 12.0;
  body.inertia = Vector3(across, across, 0.01 * across).asDiagonal();
  return body;
}

JointSpec joint(JointType type, const std::string& predecessor, const std::string& successor) {
  JointSpec spec;
  spec.name = "to_" + successor;
  spec.type = type;
  spec.predecessor = predecessor;
  spec.successor = successor;
  return spec;
}

JointSpec hinge_about_y(const std::string& predecessor, const std::string& successor, const Vector3& at) {
  JointSpec spec = joint(JointType::kRevolute, predecessor, successor);
  spec.frame_pred = {z_to_y(), at};
  spec.frame_succ.R = z_to_y();
  return spec;
}

}  // namespace

Model compiled(const ModelSpec& spec) {
  Result<Model, CompileErrors> made = compile(spec);
  if (!made) {
    for (const Error& error : made.error()) std::fprintf(stderr, "%s: %s\n", error.where.c_str(), error.what.c_str());
    std::abort();
  }
  return std::move(made).value();
}

ModelSpec pendulum() {
  ModelSpec spec;
  spec.name = "pendulum";
  spec.bodies = {rod("rod", 1.0, 1.0)};
  spec.joints = {hinge_about_y(kGround, "rod", Vector3::Zero())};
  spec.joints[0].initial_q = {1.0};
  return spec;
}

ModelSpec one_body(const std::string& body, double mass_kg, double moment_kg_m2, const std::string& joint,
                   JointType type) {
  ModelSpec spec;
  spec.bodies.resize(1);
  spec.bodies[0].name = body;
  spec.bodies[0].mass = mass_kg;
  spec.bodies[0].inertia = moment_kg_m2 * Matrix3::Identity();
  spec.joints.resize(1);
  spec.joints[0].name = joint;
  spec.joints[0].type = type;
  spec.joints[0].predecessor = kGround;
  spec.joints[0].successor = body;
  return spec;
}

ModelSpec double_pendulum() {
  ModelSpec spec;
  spec.name = "double_pendulum";
  spec.bodies = {rod("upper", 1.0, 1.0), rod("lower", 1.0, 1.0)};
  spec.joints = {hinge_about_y(kGround, "upper", Vector3::Zero()),
                 hinge_about_y("upper", "lower", Vector3(0.0, 0.0, -1.0))};
  spec.joints[0].initial_q = {1.0};
  spec.joints[0].initial_u = {0.3};
  spec.joints[1].initial_q = {-0.5};
  spec.joints[1].initial_u = {-0.7};
  return spec;
}

ModelSpec chain(int n) {
  constexpr double kLength_m = 0.5;
  ModelSpec spec;
  spec.name = "chain" + std::to_string(n);
  Matrix3 quarter_turn;
  quarter_turn << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  std::string before = kGround;
  for (int i = 0; i < n; ++i) {
    const std::string name = "bar" + std::to_string(i);
    spec.bodies.push_back(rod(name, kLength_m, 1.0));
    spec.bodies.back().inertia(2, 2) = 0.2 * spec.bodies.back().inertia(0, 0);
    JointSpec hinge = hinge_about_y(before, name, Vector3(0.0, 0.0, i == 0 ? 0.0 : -kLength_m));
    hinge.frame_pred.R = quarter_turn * hinge.frame_pred.R;
    hinge.initial_q = {0.6 - 0.25 * (i % 5)};
    hinge.initial_u = {0.4 * (i % 3) - 0.3};
    spec.joints.push_back(hinge);
    before = name;
  }
  return spec;
}

ModelSpec free_body() {
  ModelSpec spec;
  spec.name = "free_body";
  spec.gravity = Vector3::Zero();
  BodySpec body;
  body.name = "brick";
  body.mass = 2.0;
  body.inertia = Vector3(0.5, 1.0, 1.3).asDiagonal();
  spec.bodies = {body};
  spec.joints = {joint(JointType::kFree, kGround, "brick")};
  spec.joints[0].initial_q = {0.1, -0.2, 0.3, 0.5, 0.5, -0.5, 0.5};
  spec.joints[0].initial_u = {0.4, -0.3, 0.2, 0.3, 2.0, -0.2};
  return spec;
}

ModelSpec spherical_top() {
  ModelSpec spec;
  spec.name = "spherical_top";
  BodySpec body;
  body.name = "top";
  body.mass = 1.5;
  body.com = Vector3(0.05, -0.02, 0.4);
  body.inertia << 0.10, 0.01, 0.00, 0.01, 0.12, 0.02, 0.00, 0.02, 0.08;
  spec.bodies = {body};
  spec.joints = {joint(JointType::kSpherical, kGround, "top")};
  spec.joints[0].frame_pred = {z_to_y(), Vector3(0.2, 0.1, 0.5)};
  spec.joints[0].frame_succ.R = z_to_y();
  spec.joints[0].initial_q = {0.8, 0.0, 0.6, 0.0};
  spec.joints[0].initial_u = {0.5, 4.0, -0.7};
  return spec;
}

void randomize(const Model& model, Random& random, State& state) {
  for (int i = 0; i < model.nq(); ++i) state.q()[i] = random.uniform(-2.0, 2.0);
  for (int i = 0; i < model.nv(); ++i) state.v()[i] = random.uniform(-1.0, 1.0);
  for (const int k : model.quaternion_bodies()) {
    const BodyConstants& body = model.body(k);
    state.q().segment<4>(body.q + joint_kind(body.joint).quaternion) = random.unit_quaternion();
  }
  apply_prescribed_motion(model, state.time_s(), state.q().data(), state.v().data());
}

Loads random_loads(const Model& model, Random& random) {
  Loads loads(model);
  for (int i = 0; i < model.nv(); ++i) loads.tau[i] = random.uniform(-1.0, 1.0);
  for (int k = 1; k < model.body_count(); k += 2) {
    ExternalWrench wrench;
    wrench.body = k;
    wrench.point = random.vector(0.5);
    wrench.force = random.vector(3.0);
    wrench.moment = random.vector(1.0);
    loads.wrenches.push_back(wrench);
  }
  return loads;
}

}  // namespace kinloop::mechanisms
