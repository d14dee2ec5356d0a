// Linkages that move although counting says they should not: only their exact dimensions let them.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/base/at.hpp"
#include "tests/adversary/families.hpp"

namespace kinloop::adversary {
namespace {

constexpr Real kHalfTurn = std::numbers::pi_v<Real>;

/// Anywhere on the axis of a hinge, turned anyhow about it.
PoseR on_axis(const PoseR& X, Real size, Random& random) {
  const Real shift = size * static_cast<Real>(random.uniform(-0.5, 0.5));
  return turned_about_z(moved(X, 0, 0, shift), random.uniform(-3.0, 3.0));
}

/// Opposite links alike, lengths as the sines of their twists (Bennett, 1903).
void add_bennett(const Site& site, Random& random, Sketch& sketch) {
  const Real twist_a = static_cast<Real>(random.uniform(0.3, 1.4));
  Real twist_b = static_cast<Real>(random.uniform(0.3, 1.4));
  if (std::abs(twist_a - twist_b) < Real(0.1)) twist_b = twist_a + Real(0.2);
  const Real a = site.size_m * static_cast<Real>(random.uniform(0.5, 1.5));
  const Real b = a * std::sin(twist_b) / std::sin(twist_a);
  const Real theta = static_cast<Real>(random.uniform(0.3, 2.5));
  const Real ratio = std::sin((twist_a + twist_b) / 2) / std::sin((twist_b - twist_a) / 2);
  const Real phi = 2 * std::atan(ratio / std::tan(theta / 2));
  const std::array<Real, 4> angle{theta, phi, -theta, -phi};
  std::vector<PoseR> places;
  PoseR X = site.frame;
  for (std::size_t i = 0; i < 4; ++i) {
    places.push_back(on_axis(X, site.size_m, random));
    X = moved(turned_about_z(X, angle[i]), i % 2 == 0 ? a : b, 0, 0);
    X.R *= Eigen::AngleAxis<Real>(i % 2 == 0 ? twist_a : twist_b, Vector3R::UnitX()).toRotationMatrix();
  }
  add_ring(site, places, JointType::kRevolute, sketch);
}

/// All axes through one point.
void add_spherical(const Site& site, int joints, Random& random, Sketch& sketch) {
  std::vector<PoseR> places;
  for (int i = 0; i < joints; ++i) {
    const PoseR X{random.rotation().cast<Real>(), Vector3R::Zero()};
    const Real away = site.size_m * static_cast<Real>(random.uniform(0.3, 1.5));
    places.push_back(site.frame * turned_about_z(moved(X, 0, 0, away), random.uniform(-3.0, 3.0)));
  }
  add_ring(site, places, JointType::kRevolute, sketch);
}

/// Sarrus 1853: legs of three parallel hinges each guide a platform straight.
void add_sarrus(const Site& site, Random& random, Sketch& sketch) {
  const Real s = site.size_m;
  const int legs = 2 + random.below(3);
  const int platform = sketch.add_body(s);
  const Real height = s * static_cast<Real>(random.uniform(0.8, 1.5));
  for (int leg = 0; leg < legs; ++leg) {
    const Real angle =
        static_cast<Real>(leg) * kHalfTurn / static_cast<Real>(legs) + static_cast<Real>(random.uniform(-0.2, 0.2));
    const Vector3R out(std::cos(angle), std::sin(angle), 0), axis(-std::sin(angle), std::cos(angle), 0);
    int last = site.base;
    for (int i = 0; i < 3; ++i) {
      const int next = i < 2 ? sketch.add_body(s) : platform;
      const Real reach = s * static_cast<Real>(i == 1 ? random.uniform(1.2, 1.8) : random.uniform(0.4, 0.8));
      const PoseR place = along(reach * out + Vector3R(0, 0, height * static_cast<Real>(i) / 2), axis, random);
      sketch.link(JointType::kRevolute, last, next, site.frame * on_axis(place, s, random));
      last = next;
    }
  }
}

/// Bricard 1897, the line-symmetric kind: three axes, and the same turned by half a turn about a line.
void add_bricard(const Site& site, Random& random, Sketch& sketch) {
  const PoseR line = pose_in(random, Real(0.3) * site.size_m);
  const PoseR half = line * turned_about_z({}, kHalfTurn) * inverse(line);
  std::vector<PoseR> axes;
  for (int i = 0; i < 3; ++i) axes.push_back(pose_in(random, site.size_m));
  for (std::size_t i = 0; i < 3; ++i) axes.push_back(half * axes[i]);
  std::vector<PoseR> places;
  for (const PoseR& X : axes) places.push_back(site.frame * on_axis(X, Real(0.3) * site.size_m, random));
  add_ring(site, places, JointType::kRevolute, sketch);
}

/// A platform on equal parallel bars, more of them than it needs.
void add_parallelogram(const Site& site, int bars, Random& random, Sketch& sketch) {
  const Real s = site.size_m;
  const bool spatial = random.happens(0.3);
  const Real angle = static_cast<Real>(random.uniform(0.2, 2.9));
  const Vector3R bar(s * std::cos(angle), s * std::sin(angle), spatial ? s / 4 : 0);
  const int platform = sketch.add_body(s);
  for (int i = 0; i < bars; ++i) {
    const Real x = s * static_cast<Real>(random.uniform(-1.0, 1.0));
    const Real y = s * static_cast<Real>(random.uniform(-0.5, 0.5));
    const Real z = s * static_cast<Real>(random.uniform(-0.5, 0.5));
    const Vector3R foot(x, y, z);
    const int rod = sketch.add_body(s);
    if (spatial) {
      const Matrix3R R = random.rotation().cast<Real>();
      sketch.link(JointType::kUniversal, site.base, rod, site.frame * PoseR{R, foot});
      sketch.link(JointType::kSpherical, rod, platform, site.frame * PoseR{R, foot + bar});
    } else {
      sketch.link(JointType::kRevolute, site.base, rod, planar_place(JointType::kRevolute, site, x, y, random));
      const Vector3R head = foot + bar;
      sketch.link(JointType::kRevolute, rod, platform,
                  planar_place(JointType::kRevolute, site, head.x(), head.y(), random));
    }
  }
}

}  // namespace

void add_overconstrained(const Site& site, int bodies, Random& random, Sketch& sketch) {
  switch (random.below(6)) {
    case 0:
      return add_bennett(site, random, sketch);
    case 1:
      return add_spherical(site, 4, random, sketch);
    case 2:
      return add_spherical(site, 4 + random.below(4), random, sketch);
    case 3:
      return add_sarrus(site, random, sketch);
    case 4:
      return add_bricard(site, random, sketch);
    default:
      return add_parallelogram(site, std::max(3, std::min(7, bodies - 1)), random, sketch);
  }
}

}  // namespace kinloop::adversary
