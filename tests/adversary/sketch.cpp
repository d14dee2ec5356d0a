// Chooses a spanning tree and writes down what stands where.
#include "tests/adversary/sketch.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/at.hpp"
#include "tests/adversary/reference.hpp"

namespace kinloop::adversary {
namespace {

struct Spanned {
  std::vector<Link> tree;  // from a, which stands already, to b
  std::vector<Link> loops;
};

Spanned span(const Sketch& sketch, Cutting cutting, Random& random) {
  Spanned out;
  std::vector<char> stands(at(sketch.body_count()), 0), used(sketch.links.size(), 0);
  std::vector<int> age(at(sketch.body_count()), 0);
  stands[0] = 1;
  while (true) {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < sketch.links.size(); ++i) {
      const Link& link = sketch.links[i];
      if (used[i] == 0 && stands[at(link.a)] != stands[at(link.b)]) ready.push_back(i);
    }
    if (ready.empty()) break;
    std::size_t pick = ready.front();
    if (cutting != Cutting::kAsListed) pick = ready[at(random.below(static_cast<int>(ready.size())))];
    if (cutting == Cutting::kDeep) {
      const auto newest = [&](std::size_t i) {
        return std::max(age[at(sketch.links[i].a)], age[at(sketch.links[i].b)]);
      };
      for (const std::size_t i : ready) {
        if (newest(i) > newest(pick)) pick = i;
      }
    }
    Link link = sketch.links[pick];
    used[pick] = 1;
    if (stands[at(link.a)] == 0) std::swap(link.a, link.b);
    stands[at(link.b)] = 1;
    age[at(link.b)] = static_cast<int>(out.tree.size()) + 1;
    out.tree.push_back(link);
  }
  for (std::size_t i = 0; i < sketch.links.size(); ++i) {
    if (used[i] == 0) out.loops.push_back(sketch.links[i]);
  }
  if (cutting != Cutting::kAsListed) {
    random.shuffle(out.loops);
    for (Link& loop : out.loops) {
      if (random.happens(0.5)) std::swap(loop.a, loop.b);
    }
  }
  return out;
}

/// Where the joints of each body are, and what they span.
struct Extent {
  std::vector<Vector3R> points;
  Real size = 0;
};

std::vector<Extent> extents(const Sketch& sketch) {
  std::vector<Extent> out(at(sketch.body_count()));
  for (const Link& link : sketch.links) {
    for (const int k : {link.a, link.b}) out[at(k)].points.push_back(link.place.p);
  }
  for (int k = 1; k < sketch.body_count(); ++k) {
    Extent& own = out[at(k)];
    for (const Vector3R& a : own.points) {
      for (const Vector3R& b : own.points) own.size = std::max(own.size, (a - b).norm());
    }
    if (own.size < Real(1e-3) * sketch.size_m[at(k)]) own.size = sketch.size_m[at(k)];
  }
  return out;
}

BodySpec body_of(int k, const Extent& extent, const PoseR& frame, const SketchOptions& options, Random& random) {
  BodySpec body;
  body.name = name_of_body(k);
  const double size = static_cast<double>(extent.size);
  const double density = random.uniform(5.0, 200.0);
  const double drawn = static_cast<double>(loguniform(random, 1e-3L, 1e4L));
  body.mass = options.mixed_masses ? drawn : std::clamp(density * size * size * size, 1e-3, 1e4);
  Vector3R middle = Vector3R::Zero();
  for (const Vector3R& p : extent.points) middle += p / static_cast<Real>(extent.points.size());
  const Vector3R aside = vector_in(random, Real(0.2) * extent.size);
  body.com = (frame.R.transpose() * (middle + aside - frame.p)).cast<double>();
  const Vector3 second(random.uniform(0.01, 0.1), 0.0, 0.0);
  const double yy = random.uniform(0.01, 0.1);
  const double zz = random.uniform(0.01, 0.1);
  const Vector3 principal = Vector3(yy + zz, second.x() + zz, second.x() + yy) * (body.mass * size * size);
  const Matrix3 R = random.rotation();
  const Matrix3 inertia = R * principal.asDiagonal() * R.transpose();
  body.inertia = 0.5 * (inertia + inertia.transpose());
  return body;
}

FunctionSpec profile_of(double size, Random& random) {
  FunctionSpec profile;
  profile.polynomial = {0.5 * size};
  const double c = random.uniform(-0.1, 0.1) * size;
  profile.harmonics = {{c, random.uniform(-0.1, 0.1) * size}};
  return profile;
}

void draw_coordinates(double size, const SketchOptions& options, Random& random, JointSpec& joint) {
  if (joint.type == JointType::kScrew) joint.pitch = random.uniform(-0.2, 0.2) * size;
  if (joint.type == JointType::kCam) joint.profile = profile_of(size, random);
  const JointSize sizes = joint_size(joint.type);
  for (int i = 0; i < sizes.nq; ++i) {
    const double turns = joint.type == JointType::kUniversal ? options.universal_rad : 3.0;
    const double most = slides(joint, i) ? size : turns;
    const double drawn = random.uniform(-most, most);
    joint.initial_q.push_back(options.zero_coordinates ? 0.0 : drawn);
  }
  if (sizes.quaternion >= 0) {
    Eigen::Vector4d e = random.unit_quaternion();
    if (options.zero_coordinates) e = Eigen::Vector4d::UnitX();
    for (int i = 0; i < 4; ++i) joint.initial_q[at(sizes.quaternion + i)] = e[i];
  }
}

Coordinates coordinates_of(const JointSpec& joint) {
  Coordinates q{};
  for (std::size_t i = 0; i < joint.initial_q.size(); ++i) q[i] = joint.initial_q[i];
  return q;
}

PoseR still(const PoseJet& X) { return {X.R.f, X.p.f}; }

}  // namespace

std::string name_of_body(int i) { return i == 0 ? kGround : "b" + std::to_string(i); }

Vector3R vector_in(Random& random, Real size) { return size * random.vector(1.0).cast<Real>(); }

PoseR pose_in(Random& random, Real size) {
  const Pose drawn = random.pose(1.0);
  return {drawn.R.cast<Real>(), size * drawn.p.cast<Real>()};
}

PoseR turned_about_z(const PoseR& X, Real angle) {
  return {X.R * Eigen::AngleAxis<Real>(angle, Vector3R::UnitZ()).toRotationMatrix(), X.p};
}

PoseR moved(const PoseR& X, Real x, Real y, Real z) { return {X.R, X.p + X.R * Vector3R(x, y, z)}; }

PoseR along(const Vector3R& point, const Vector3R& z, Random& random) {
  const Vector3R unit = z.normalized();
  Eigen::Index least = 0;
  unit.cwiseAbs().minCoeff(&least);
  const Vector3R x = unit.cross(Vector3R::Unit(least)).normalized();
  PoseR X;
  X.R << x, unit.cross(x), unit;
  X.p = point;
  return turned_about_z(X, random.uniform(-std::numbers::pi, std::numbers::pi));
}

Real loguniform(Random& random, Real low, Real high) {
  return low * std::pow(high / low, static_cast<Real>(random.uniform()));
}

Real reach_of(const Site& site, Random& random) {
  const Real drawn = loguniform(random, 1e-3L, 100.0L);
  return site.spread ? drawn : site.size_m;
}

ModelSpec realized(const Sketch& sketch, const SketchOptions& options, Random& random) {
  const Spanned spanned = span(sketch, options.cutting, random);
  const std::vector<Extent> extent = extents(sketch);
  ModelSpec spec;
  std::vector<PoseR> frame(at(sketch.body_count()));
  for (std::size_t i = 0; i < spanned.tree.size(); ++i) {
    const Link& link = spanned.tree[i];
    const Extent& own = extent[at(link.b)];
    PoseR& X = frame[at(link.b)];
    const PoseR drawn = pose_in(random, Real(0.3) * own.size);
    X = options.aligned_bodies ? link.place : PoseR{drawn.R, link.place.p + drawn.p};
    spec.bodies.push_back(body_of(link.b, own, X, options, random));
    JointSpec joint;
    joint.name = "j" + std::to_string(i);
    joint.type = link.type;
    joint.predecessor = name_of_body(link.a);
    joint.successor = name_of_body(link.b);
    draw_coordinates(static_cast<double>(own.size), options, random, joint);
    const PoseR T = still(joint_pose(joint, coordinates_of(joint), {}));
    joint.frame_pred = rounded(inverse(frame[at(link.a)]) * link.place * inverse(T));
    joint.frame_succ = rounded(inverse(X) * link.place);
    spec.joints.push_back(joint);
  }
  if (options.shuffled) random.shuffle(spec.joints);
  // Where the bodies really stand, frames being rounded: what closes the loops starts from there.
  const Topology topology(spec);
  const Situation start = initial_situation(spec);
  const TreeMotion motion(spec, topology, start.q, start.v);
  for (std::size_t i = 0; i < spanned.loops.size(); ++i) {
    const Link& link = spanned.loops[i];
    JointSpec loop;
    loop.name = (link.optional ? kOptionalLoop : "loop") + std::to_string(i);
    loop.type = link.type;
    loop.predecessor = name_of_body(link.a);
    loop.successor = name_of_body(link.b);
    const Real size = std::max(extent[at(link.a)].size, extent[at(link.b)].size);
    draw_coordinates(static_cast<double>(size), options, random, loop);
    const PoseR T = still(joint_pose(loop, coordinates_of(loop), {}));
    loop.initial_q.clear();
    const PoseR X_WP = still(motion.body[at(topology.body(spec, loop.predecessor))]);
    const PoseR X_WS = still(motion.body[at(topology.body(spec, loop.successor))]);
    loop.frame_succ = rounded(inverse(X_WS) * link.place);
    loop.frame_pred = rounded(inverse(X_WP) * X_WS * precise(loop.frame_succ) * inverse(T));
    spec.loops.push_back(loop);
  }
  return spec;
}

}  // namespace kinloop::adversary
