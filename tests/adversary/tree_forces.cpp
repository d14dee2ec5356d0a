// Projects Newton and Euler of every body, at its centre of mass, on the speeds that move it.
#include "tests/adversary/tree_forces.hpp"

#include <cmath>

#include "core/base/at.hpp"

namespace kinloop::adversary {
namespace {

struct SpringLine {
  int body_a, body_b;
  Vector3R at_a, at_b, direction;
  Real length, rate;
};

VectorJet point_of(const PoseJet& X, const Vector3& point) {
  VectorJet fixed;
  fixed.f = point.cast<Real>();
  return X.p + X.R * fixed;
}

SpringLine line_of(const ModelSpec& spec, const Topology& topology, const TreeMotion& motion,
                   const SpringSpec& spring) {
  SpringLine line;
  line.body_a = topology.body(spec, spring.body_a);
  line.body_b = topology.body(spec, spring.body_b);
  const VectorJet a = point_of(motion.body[at(line.body_a)], spring.point_a);
  const VectorJet b = point_of(motion.body[at(line.body_b)], spring.point_b);
  line.at_a = a.f;
  line.at_b = b.f;
  line.length = (b.f - a.f).norm();
  line.direction = line.length > 0 ? Vector3R((b.f - a.f) / line.length) : Vector3R::Zero();
  line.rate = line.direction.dot(b.d - a.d);
  return line;
}

void push(const TreeMotion& motion, int body, const Vector3R& point, const Vector3R& force, const Vector3R& moment,
          VectorXR& h) {
  for (const int i : motion.speeds[at(body)]) {
    const Column& c = motion.column[at(i)];
    h[i] += c.at(point).dot(force) + c.w.dot(moment);
  }
}

void add_body(const TreeMotion& motion, int k, const BodySpec& body, const Vector3R& gravity, TreeEquations& out) {
  if (body.mass == 0.0) return;
  const PoseJet& X = motion.body[at(k)];
  const VectorJet com = point_of(X, body.com);
  const Matrix3R I = X.R.f * body.inertia.cast<Real>() * X.R.f.transpose();
  const Vector3R w = X.R.angular_velocity();
  const Vector3R force = body.mass * (gravity - com.dd);
  const Vector3R moment = -(I * X.R.angular_acceleration() + w.cross(I * w));
  push(motion, k, com.f, force, moment, out.h);
  for (const int i : motion.speeds[at(k)]) {
    const Vector3R p = body.mass * motion.column[at(i)].at(com.f);
    const Vector3R l = I * motion.column[at(i)].w;
    for (const int j : motion.speeds[at(k)]) {
      out.M(i, j) += motion.column[at(j)].at(com.f).dot(p) + motion.column[at(j)].w.dot(l);
    }
  }
}

void add_joint_forces(const ModelSpec& spec, const Topology& topology, const Situation& now, TreeEquations& out) {
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    const JointSpec& joint = spec.joints[j];
    for (std::size_t c = 0; c < joint.coordinates.size(); ++c) {
      const CoordinateSpec& own = joint.coordinates[c];
      const int i = topology.v_at[j] + static_cast<int>(c);
      const Real u = now.v[i];
      out.h[i] += own.force - own.damping * u;
      if (own.stiffness != 0.0) out.h[i] -= own.stiffness * (now.q[topology.q_at[j] + static_cast<int>(c)] - own.rest);
      if (own.dry_friction != 0.0) out.h[i] -= own.dry_friction * std::tanh(u / own.friction_speed);
      out.M(i, i) += Real(own.rotor_inertia) * own.gear_ratio * own.gear_ratio;
    }
  }
}

}  // namespace

TreeEquations tree_equations(const ModelSpec& spec, const Topology& topology, const TreeMotion& motion,
                             const Situation& now) {
  TreeEquations out{MatrixXR::Zero(topology.nv, topology.nv), VectorXR::Zero(topology.nv)};
  const Vector3R gravity = spec.gravity.cast<Real>();
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    add_body(motion, static_cast<int>(i) + 1, spec.bodies[i], gravity, out);
  }
  add_joint_forces(spec, topology, now, out);
  for (const SpringSpec& spring : spec.springs) {
    const SpringLine line = line_of(spec, topology, motion, spring);
    const Real tension =
        spring.stiffness * (line.length - spring.rest_length) + spring.damping * line.rate + spring.force;
    push(motion, line.body_a, line.at_a, tension * line.direction, Vector3R::Zero(), out.h);
    push(motion, line.body_b, line.at_b, -tension * line.direction, Vector3R::Zero(), out.h);
  }
  for (const Wrench& wrench : now.wrenches) {
    const int k = topology.body(spec, wrench.body);
    push(motion, k, point_of(motion.body[at(k)], wrench.point).f, wrench.force.cast<Real>(), wrench.moment.cast<Real>(),
         out.h);
  }
  if (now.tau.size() > 0) out.h += now.tau;
  return out;
}

EnergyR energy_of(const ModelSpec& spec, const Topology& topology, const Situation& now) {
  const TreeMotion motion(spec, topology, now.q, now.v);
  EnergyR energy;
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    const BodySpec& body = spec.bodies[i];
    const PoseJet& X = motion.body[i + 1];
    const VectorJet com = point_of(X, body.com);
    const Vector3R w = X.R.f.transpose() * X.R.angular_velocity();
    energy.kinetic += (body.mass * com.d.squaredNorm() + w.dot(body.inertia.cast<Real>() * w)) / 2;
    energy.potential -= body.mass * spec.gravity.cast<Real>().dot(com.f);
  }
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    const std::vector<CoordinateSpec>& coordinates = spec.joints[j].coordinates;
    const int quaternion = joint_size(spec.joints[j].type).quaternion;
    for (std::size_t c = 0; c < coordinates.size(); ++c) {
      const CoordinateSpec& own = coordinates[c];
      const Real u = now.v[topology.v_at[j] + static_cast<int>(c)];
      energy.kinetic += Real(own.rotor_inertia) * own.gear_ratio * own.gear_ratio * u * u / 2;
      if (quaternion >= 0 && static_cast<int>(c) >= quaternion) continue;
      const Real q = now.q[topology.q_at[j] + static_cast<int>(c)];
      energy.potential += own.stiffness * (q - own.rest) * (q - own.rest) / 2 - own.force * q;
    }
  }
  for (const SpringSpec& spring : spec.springs) {
    const Real stretch = line_of(spec, topology, motion, spring).length - spring.rest_length;
    energy.potential += spring.stiffness * stretch * stretch / 2 + spring.force * (stretch + spring.rest_length);
  }
  return energy;
}

}  // namespace kinloop::adversary
