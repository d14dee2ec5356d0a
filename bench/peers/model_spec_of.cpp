// Translates the neutral mechanism body for body, joint for joint.
#include "bench/peers/model_spec_of.hpp"

namespace kinloop::bench {
namespace {

Matrix3 matrix(const Mat3& rows) {
  Matrix3 m;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) m(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  }
  return m;
}

Vector3 vector(const Vec3& a) { return {a[0], a[1], a[2]}; }

JointType type_of(JointKind kind) {
  switch (kind) {
    case JointKind::kRevolute:
      return JointType::kRevolute;
    case JointKind::kPrismatic:
      return JointType::kPrismatic;
    case JointKind::kUniversal:
      return JointType::kUniversal;
    case JointKind::kFree:
      return JointType::kFree;
  }
  return JointType::kFixed;
}

std::string name_of(const Mechanism& mechanism, int body) {
  return body < 0 ? kGround : mechanism.bodies[static_cast<std::size_t>(body)].name;
}

}  // namespace

ModelSpec model_spec_of(const Mechanism& mechanism) {
  ModelSpec spec;
  spec.name = mechanism.name;
  spec.gravity = vector(mechanism.gravity_W_mps2);
  for (const RigidBody& body : mechanism.bodies) {
    spec.bodies.push_back({body.name, body.mass_kg, vector(body.com_B_m), matrix(body.inertia_B_kgm2), {}});
    JointSpec joint;
    joint.name = "joint_" + body.name;
    joint.type = type_of(body.joint);
    joint.predecessor = name_of(mechanism, body.parent);
    joint.successor = body.name;
    joint.frame_pred = {matrix(body.R_PA), vector(body.p_PA_m)};
    joint.frame_succ = {matrix(body.R_BJ), vector(body.p_BJ_m)};
    spec.joints.push_back(joint);
  }
  for (const LoopClosure& loop : mechanism.loops) {
    JointSpec joint;
    joint.name = loop.name;
    joint.type = loop.kind == LoopKind::kRevolute ? JointType::kRevolute : JointType::kSpherical;
    joint.predecessor = name_of(mechanism, loop.predecessor);
    joint.successor = name_of(mechanism, loop.successor);
    joint.frame_pred.p = vector(loop.p_PA_m);
    joint.frame_succ.p = vector(loop.p_SB_m);
    spec.loops.push_back(joint);
  }
  return spec;
}

ModelSpec model_spec_of(const Mechanism& mechanism, const MotionState& start) {
  ModelSpec spec = model_spec_of(mechanism);
  auto q = start.q.begin();
  auto v = start.v.begin();
  for (std::size_t i = 0; i < spec.joints.size(); ++i) {
    const int nq = position_count(mechanism.bodies[i]), nv = velocity_count(mechanism.bodies[i]);
    spec.joints[i].initial_q.assign(q, q + nq);
    spec.joints[i].initial_u.assign(v, v + nv);
    q += nq, v += nv;
  }
  return spec;
}

}  // namespace kinloop::bench
