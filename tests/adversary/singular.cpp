// Starts that lie 1e-3, 1e-6 or 1e-9 from a singular position, and ends that are exactly straight.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/base/at.hpp"
#include "tests/adversary/families.hpp"

namespace kinloop::adversary {
namespace {

Real small_angle(Random& random) {
  constexpr std::array<Real, 3> kAngles = {1e-3L, 1e-6L, 1e-9L};
  return kAngles[at(random.below(3))];
}

PoseR hinge(const Site& site, const Vector3R& at_point, Random& random) {
  return planar_place(JointType::kRevolute, site, at_point.x(), at_point.y(), random);
}

/// A ring of hinges through points of the plane.
void add_polygon(const Site& site, const std::vector<Vector3R>& points, Random& random, Sketch& sketch) {
  std::vector<PoseR> places;
  for (const Vector3R& point : points) places.push_back(hinge(site, site.size_m * point, random));
  add_ring(site, places, JointType::kRevolute, sketch);
}

/// All hinges of a ring nearly in line.
void add_flat_ring(const Site& site, int joints, Random& random, Sketch& sketch) {
  const Real angle = small_angle(random);
  std::vector<Vector3R> points;
  for (int i = 0; i < joints; ++i) {
    const Real x = static_cast<Real>(random.uniform(-1.0, 1.0));
    points.emplace_back(x, angle * static_cast<Real>(random.uniform(-1.0, 1.0)), 0);
  }
  add_polygon(site, points, random, sketch);
}

/// Windows of equal rods folded nearly flat.
void add_flat_windows(const Site& site, int windows, Random& random, Sketch& sketch) {
  const Real s = site.size_m;
  const Real angle = small_angle(random) + (random.happens(0.5) ? std::numbers::pi_v<Real> : Real(0));
  const Vector3R up(s * std::cos(angle), s * std::sin(angle), 0);
  int bar = sketch.add_body(s);
  sketch.link(JointType::kRevolute, site.base, bar, hinge(site, Vector3R::Zero(), random));
  for (int i = 1; i <= windows; ++i) {
    const int coupler = sketch.add_body(s), next = sketch.add_body(s);
    const Vector3R foot(s * static_cast<Real>(i), 0, 0);
    const Vector3R before(s * static_cast<Real>(i - 1), 0, 0);
    sketch.link(JointType::kRevolute, bar, coupler, hinge(site, before + up, random));
    sketch.link(JointType::kRevolute, coupler, next, hinge(site, foot + up, random));
    sketch.link(JointType::kRevolute, next, site.base, hinge(site, foot, random));
    bar = next;
  }
}

/// Two links in line, exactly or nearly, anywhere in a ring: no singularity, but no basis either.
void add_straight_ends(const Site& site, int joints, Random& random, Sketch& sketch) {
  std::vector<Vector3R> points;
  for (int i = 0; i < joints; ++i) {
    const Real turn = 2 * std::numbers::pi_v<Real> * static_cast<Real>(i) / static_cast<Real>(joints);
    const Real reach = static_cast<Real>(random.uniform(0.6, 1.2));
    points.emplace_back(reach * std::cos(turn), reach * std::sin(turn), 0);
  }
  const bool exact = random.happens(0.6);
  const Real off = exact ? Real(0) : small_angle(random);
  const auto straighten = [&](std::size_t i) {
    const std::size_t before = (i + points.size() - 1) % points.size(), after = (i + 1) % points.size();
    const Real share = static_cast<Real>(random.uniform(0.3, 0.7));
    const Vector3R way = points[after] - points[before];
    points[i] = points[before] + share * way + off * Vector3R(-way.y(), way.x(), 0);
  };
  straighten(1);
  if (random.happens(0.6)) straighten(points.size() - 2);
  const std::size_t first = sketch.links.size();
  add_polygon(site, points, random, sketch);
  if (!random.happens(0.4)) return;
  // Out of the plane: the joints between the straight ends become others.
  constexpr std::array kTypes = {JointType::kSpherical, JointType::kUniversal, JointType::kCylindrical};
  for (std::size_t i = first + 3; i + 3 < sketch.links.size(); ++i) {
    sketch.links[i].type = kTypes[at(random.below(3))];
    sketch.links[i].place.R = random.rotation().cast<Real>();
  }
}

/// A platform on chains of two links that are stretched, exactly or nearly.
void add_stretched_legs(const Site& site, int legs, Random& random, Sketch& sketch) {
  const Real s = site.size_m;
  const bool exact = random.happens(0.4);
  const Real off = exact ? Real(0) : small_angle(random);
  const int stretched = 1 + random.below(legs);
  const int platform = sketch.add_body(s);
  for (int leg = 0; leg < legs; ++leg) {
    const Real turn = 2 * std::numbers::pi_v<Real> * static_cast<Real>(leg) / static_cast<Real>(legs) +
                      static_cast<Real>(random.uniform(-0.3, 0.3));
    const Vector3R out(std::cos(turn), std::sin(turn), 0), across(-std::sin(turn), std::cos(turn), 0);
    const Vector3R head = Real(0.4) * out + Real(random.uniform(-0.2, 0.2)) * across;
    const Vector3R foot = Real(1.5) * out + Real(random.uniform(-0.2, 0.2)) * across;
    const Real bend = leg < stretched ? off : static_cast<Real>(random.uniform(0.2, 0.6));
    const Vector3R knee = (head + foot) / 2 + bend * across;
    const int lower = sketch.add_body(s), upper = sketch.add_body(s);
    sketch.link(JointType::kRevolute, site.base, lower, hinge(site, s * foot, random));
    sketch.link(JointType::kRevolute, lower, upper, hinge(site, s * knee, random));
    sketch.link(JointType::kRevolute, upper, platform, hinge(site, s * head, random));
  }
}

/// A platform on rods that nearly lie in its own plane.
void add_flat_platform(const Site& site, Random& random, Sketch& sketch) {
  const Real s = site.size_m;
  const Real height = small_angle(random);
  const int platform = sketch.add_body(s);
  const int rods = 3 + random.below(3);
  for (int i = 0; i < rods; ++i) {
    const Real turn = 2 * std::numbers::pi_v<Real> * static_cast<Real>(i) / static_cast<Real>(rods) +
                      static_cast<Real>(random.uniform(-0.3, 0.3));
    const Real twist = turn + static_cast<Real>(random.uniform(-0.5, 0.5));
    const int rod = sketch.add_body(s);
    const Matrix3R R = random.rotation().cast<Real>();
    const Vector3R foot(s * std::cos(turn), s * std::sin(turn), 0);
    const Vector3R head(s * std::cos(twist) / 2, s * std::sin(twist) / 2, s * height);
    sketch.link(JointType::kUniversal, site.base, rod, site.frame * PoseR{R, foot});
    sketch.link(JointType::kSpherical, rod, platform, site.frame * PoseR{R, head});
  }
}

}  // namespace

void add_singular(const Site& site, int bodies, Random& random, Sketch& sketch) {
  switch (random.below(6)) {
    case 0:
      return add_flat_ring(site, 4, random, sketch);
    case 1:
      return add_flat_ring(site, 4 + random.below(4), random, sketch);
    case 2:
      return add_flat_windows(site, std::clamp((bodies - 1) / 2, 1, 8), random, sketch);
    case 3:
      return add_straight_ends(site, 4 + random.below(6), random, sketch);
    case 4:
      return add_stretched_legs(site, 2 + random.below(3), random, sketch);
    default:
      return add_flat_platform(site, random, sketch);
  }
}

}  // namespace kinloop::adversary
