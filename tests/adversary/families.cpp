// The table of families, and what several of them use.
#include "tests/adversary/families.hpp"

#include <Eigen/Geometry>
#include <array>
#include <numbers>

namespace kinloop::adversary {

std::span<const Family> families() {
  static constexpr std::array kFamilies = {
      Family{"spatial", add_spatial, 60},
      Family{"planar", add_planar, 24},
      Family{"ladder", add_ladder, 60},
      Family{"parallel", add_parallel, 30},
      Family{"overconstrained", add_overconstrained, 12},
      Family{"singular", add_singular, 24},
      Family{"nested", add_nested, 40},
      Family{"woven", add_woven, 60},
  };
  return kFamilies;
}

std::span<const Family> drawn_families(std::uint64_t seed) {
  constexpr std::uint64_t kAllFrom = 1'000'000;
  constexpr std::size_t kFirst = 7;  // without woven
  return seed < kAllFrom ? families().first(kFirst) : families();
}

const Family* find_family(std::string_view name) {
  for (const Family& family : families()) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

PoseR planar_place(JointType type, const Site& site, Real x, Real y, Random& random) {
  constexpr Real kPi = std::numbers::pi_v<Real>;
  const Real height = site.size_m * static_cast<Real>(random.uniform(-0.3, 0.3));
  PoseR X;
  X.p = Vector3R(x, y, height);
  X = turned_about_z(X, random.uniform(-3.0, 3.0));
  if (random.happens(0.5)) X.R *= Eigen::AngleAxis<Real>(kPi, Vector3R::UnitX()).toRotationMatrix();
  if (type == JointType::kPrismatic) X.R *= Eigen::AngleAxis<Real>(kPi / 2, Vector3R::UnitY()).toRotationMatrix();
  return site.frame * X;
}

void add_ring(const Site& site, const std::vector<PoseR>& places, JointType type, Sketch& sketch) {
  int last = site.base;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const int next = i + 1 < places.size() ? sketch.add_body(site.size_m) : site.base;
    sketch.link(type, last, next, places[i]);
    last = next;
  }
}

}  // namespace kinloop::adversary
