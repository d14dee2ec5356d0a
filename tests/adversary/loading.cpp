// Adds and takes back, asking the reference each time.
#include "tests/adversary/loading.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "tests/adversary/sketch.hpp"

namespace kinloop::adversary {
namespace {

Verdict verdict_of(const ModelSpec& spec) {
  return solve_reference(spec, Topology(spec), initial_situation(spec)).verdict;
}

bool is_sound(const ModelSpec& spec) {
  const Verdict verdict = verdict_of(spec);
  return verdict == Verdict::kRegular || verdict == Verdict::kAmbiguous;
}

bool is_scalar(const JointSpec& joint, int i) {
  const int quaternion = joint_size(joint.type).quaternion;
  return quaternion < 0 || i < quaternion;
}

const BodySpec& successor_of(const ModelSpec& spec, const JointSpec& joint) {
  return *std::find_if(spec.bodies.begin(), spec.bodies.end(),
                       [&](const BodySpec& body) { return body.name == joint.successor; });
}

/// What coordinate i moves, roughly: mass, or moment of inertia about the joint.
double inertia_along(const ModelSpec& spec, const JointSpec& joint, int i) {
  const BodySpec& body = successor_of(spec, joint);
  if (slides(joint, i)) return body.mass;
  return body.inertia.trace() / 3.0 + body.mass * (body.com - joint.frame_succ.p).squaredNorm();
}

double length_along(const JointSpec& joint) {
  return std::max({joint.frame_pred.p.norm(), joint.frame_succ.p.norm(), 1e-3});
}

CoordinateSpec& coordinate(JointSpec& joint, int i) {
  joint.coordinates.resize(at(joint_size(joint.type).nv));
  return joint.coordinates[at(i)];
}

template <class Action>
void for_some_coordinates(double share, Random& random, ModelSpec& spec, Action&& act) {
  for (JointSpec& joint : spec.joints) {
    for (int i = 0; i < joint_size(joint.type).nv; ++i) {
      if (!random.happens(share) || !is_scalar(joint, i)) continue;
      const double inertia = inertia_along(spec, joint, i);
      if (inertia > 0.0) act(joint, i, inertia);
    }
  }
}

std::vector<int> single_joints(const ModelSpec& spec) {
  std::vector<int> single;
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    if (joint_size(spec.joints[j].type).nv == 1) single.push_back(static_cast<int>(j));
  }
  return single;
}

}  // namespace

int unlock(ModelSpec& spec) {
  int removed = 0;
  while (verdict_of(spec) == Verdict::kLocked) {
    const auto last = std::find_if(spec.loops.rbegin(), spec.loops.rend(),
                                   [](const JointSpec& loop) { return loop.name.starts_with(kOptionalLoop); });
    if (last == spec.loops.rend()) break;
    spec.loops.erase(std::next(last).base());
    ++removed;
  }
  return removed;
}

void add_couplings(int count, Random& random, ModelSpec& spec) {
  const std::vector<int> single = single_joints(spec);
  if (single.size() < 2) return;
  for (int i = 0; i < count; ++i) {
    const int total = static_cast<int>(single.size());
    const int a = random.below(total);
    const JointSpec& joint = spec.joints[at(single[at(a)])];
    const JointSpec& of = spec.joints[at(single[at((a + 1 + random.below(total - 1)) % total)])];
    double ratio = random.uniform(-2.0, 2.0);
    if (slides(joint, 0)) ratio *= length_along(joint);
    if (slides(of, 0)) ratio /= length_along(of);
    const double offset = joint.initial_q[0] - ratio * of.initial_q[0];
    spec.couplings.push_back({"gear" + std::to_string(i), joint.name, of.name, ratio, offset});
    if (!is_sound(spec)) spec.couplings.pop_back();
  }
}

void add_drives(int count, Random& random, ModelSpec& spec) {
  for (int i = 0; i < count; ++i) {
    JointSpec& joint = spec.joints[at(random.below(static_cast<int>(spec.joints.size())))];
    const int nv = joint_size(joint.type).nv;
    const int c = nv > 0 ? random.below(nv) : 0;
    const double size = slides(joint, c) ? length_along(joint) : 1.0;
    const double swing = random.uniform(-0.2, 0.2) * size;
    FunctionSpec motion;
    motion.frequency_rad = random.uniform(1.0, 4.0);
    motion.harmonics = {{swing, random.uniform(-0.2, 0.2) * size}};
    if (nv == 0 || !is_scalar(joint, c) || joint.type == JointType::kCam) continue;
    motion.polynomial = {joint.initial_q[at(c)] - swing, random.uniform(-0.3, 0.3) * size};
    const JointSpec before = joint;
    coordinate(joint, c).motion = motion;
    joint.initial_q[at(c)] = static_cast<double>(function_value(motion, Jet(0)).f);
    if (!is_sound(spec)) joint = before;
  }
}

void take_masses(Random& random, ModelSpec& spec) {
  for (BodySpec& body : spec.bodies) {
    if (!random.happens(0.3)) continue;
    const BodySpec before = body;
    body.mass = 0.0;
    body.com.setZero();
    body.inertia.setZero();
    if (!is_sound(spec)) body = before;
  }
}

void add_point_springs(bool damped, Random& random, ModelSpec& spec) {
  const int n = static_cast<int>(spec.bodies.size());
  const int count = 1 + random.below(n / 3 + 1);
  for (int i = 0; i < count; ++i) {
    const int a = random.below(n + 1);
    const int b = (a + 1 + random.below(n)) % (n + 1);
    SpringSpec spring;
    spring.name = "spring" + std::to_string(i);
    spring.body_a = a == 0 ? kGround : spec.bodies[at(a - 1)].name;
    spring.body_b = b == 0 ? kGround : spec.bodies[at(b - 1)].name;
    double mass = 1e9;
    for (const int k : {a, b}) {
      if (k > 0 && spec.bodies[at(k - 1)].mass > 0.0) mass = std::min(mass, spec.bodies[at(k - 1)].mass);
    }
    if (mass == 1e9) continue;
    const Vector3 aside = random.vector(1.0);
    spring.point_a = a == 0 ? aside : spec.bodies[at(a - 1)].com;
    spring.point_b = b == 0 ? aside : spec.bodies[at(b - 1)].com;
    spring.stiffness = mass * random.uniform(1.0, 40.0);
    spring.rest_length = random.uniform(0.0, 0.5);
    if (damped) spring.damping = mass * random.uniform(0.0, 1.0);
    spec.springs.push_back(spring);
  }
}

void add_joint_springs(bool damped, Random& random, ModelSpec& spec) {
  for_some_coordinates(0.4, random, spec, [&](JointSpec& joint, int i, double inertia) {
    CoordinateSpec& c = coordinate(joint, i);
    c.stiffness = inertia * random.uniform(1.0, 40.0);
    c.rest = joint.initial_q[at(i)] + random.uniform(-0.5, 0.5) * (slides(joint, i) ? length_along(joint) : 1.0);
    if (damped) c.damping = inertia * random.uniform(0.0, 2.0);
    if (damped && random.happens(0.2)) {
      c.friction_speed = 0.5 * (slides(joint, i) ? length_along(joint) : 1.0);
      c.dry_friction = inertia * c.friction_speed * random.uniform(0.1, 2.0);
    }
  });
}

void add_joint_forces(Random& random, ModelSpec& spec) {
  for_some_coordinates(0.3, random, spec, [&](JointSpec& joint, int i, double inertia) {
    coordinate(joint, i).force = inertia * random.uniform(-5.0, 5.0) * (slides(joint, i) ? length_along(joint) : 1.0);
  });
}

void add_rotors(Random& random, ModelSpec& spec) {
  for_some_coordinates(0.4, random, spec, [&](JointSpec& joint, int i, double inertia) {
    CoordinateSpec& c = coordinate(joint, i);
    c.gear_ratio = random.uniform(10.0, 100.0);
    c.rotor_inertia = inertia * random.uniform(0.1, 2.0) / (c.gear_ratio * c.gear_ratio);
  });
}

void set_speeds(Real rate_per_s, Random& random, ModelSpec& spec) {
  const Topology topology(spec);
  const Situation start = initial_situation(spec);
  VectorXR wish(topology.nv);
  VectorXR unit = VectorXR::Ones(topology.nv);
  for (int i = 0; i < topology.nv; ++i) {
    const auto j = at(topology.joint_of_speed[at(i)]);
    if (slides(spec.joints[j], i - topology.v_at[j])) unit[i] = length_along(spec.joints[j]);
    wish[i] = unit[i] * static_cast<Real>(random.uniform(-1.0, 1.0));
  }
  const auto least = consistent_speeds(spec, topology, start, VectorXR::Zero(topology.nv));
  const auto drawn = consistent_speeds(spec, topology, start, wish);
  if (!least || !drawn) return;
  const VectorXR free = *drawn - *least;
  const Real most = topology.nv > 0 ? free.cwiseQuotient(unit).cwiseAbs().maxCoeff() : Real(0);
  const VectorXR v = *least + (most > 0 ? rate_per_s / most : Real(0)) * free;
  for (std::size_t j = 0; j < spec.joints.size(); ++j) {
    JointSpec& joint = spec.joints[j];
    joint.initial_u.clear();
    for (int i = 0; i < joint_size(joint.type).nv; ++i) {
      joint.initial_u.push_back(static_cast<double>(v[topology.v_at[j] + i]));
    }
  }
}

bool is_conservative(const ModelSpec& spec) {
  for (const JointSpec& joint : spec.joints) {
    for (const CoordinateSpec& c : joint.coordinates) {
      if (c.damping != 0.0 || c.dry_friction != 0.0 || c.motion) return false;
    }
  }
  return std::none_of(spec.springs.begin(), spec.springs.end(), [](const SpringSpec& s) { return s.damping != 0.0; });
}

}  // namespace kinloop::adversary
