// Parallel robots: a platform on legs of random structure.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include "core/base/at.hpp"
#include "tests/adversary/families.hpp"

namespace kinloop::adversary {
namespace {

JointType leg_type(char letter) {
  switch (letter) {
    case 'P':
      return JointType::kPrismatic;
    case 'C':
      return JointType::kCylindrical;
    case 'U':
      return JointType::kUniversal;
    case 'S':
      return JointType::kSpherical;
    case 'H':
      return JointType::kScrew;
    case 'L':
      return JointType::kPlanar;
    default:
      return JointType::kRevolute;
  }
}

constexpr std::array<std::string_view, 16> kSpatialLegs = {"UPS", "RUS", "SPS",  "PUS", "RSS",   "PSS",    "CS", "RRS",
                                                           "PRS", "UPU", "RRRS", "CRS", "RRRRR", "RRRRRR", "LS", "HUS"};
constexpr std::array<std::string_view, 5> kPlanarLegs = {"RRR", "RPR", "PRR", "RRP", "PPR"};

}  // namespace

void add_parallel(const Site& site, int bodies, Random& random, Sketch& sketch) {
  constexpr double kPi = std::numbers::pi;
  const bool planar = random.happens(0.3);
  const bool same = random.happens(0.6);
  const auto draw = [&] {
    return planar ? kPlanarLegs[at(random.below(static_cast<int>(kPlanarLegs.size())))]
                  : kSpatialLegs[at(random.below(static_cast<int>(kSpatialLegs.size())))];
  };
  std::string_view structure = draw();
  const int max_legs = std::max(2, bodies / 2);
  const int legs = std::min(max_legs, planar ? 2 + random.below(3) : 2 + random.below(5));
  const int platform = sketch.add_body(site.size_m);
  const Real s = site.size_m;
  for (int leg = 0; leg < legs; ++leg) {
    if (!same) structure = draw();
    const double angle = 2.0 * kPi * leg / legs + random.uniform(-0.3, 0.3);
    const Vector3R foot(std::cos(static_cast<Real>(angle)), std::sin(static_cast<Real>(angle)), 0);
    const Vector3R head = Vector3R(0, 0, planar ? 0 : 1) + Real(0.5) * foot;
    int last = site.base;
    const int count = static_cast<int>(structure.size());
    for (int i = 0; i < count; ++i) {
      const int next = i + 1 < count ? sketch.add_body(s) : platform;
      const JointType type = leg_type(structure[at(i)]);
      const Real way = static_cast<Real>(i) / static_cast<Real>(std::max(1, count - 1));
      Vector3R point = s * (foot + way * (head - foot));
      if (i > 0 && i + 1 < count) point += vector_in(random, Real(0.3) * s);
      if (planar) {
        sketch.link(type, last, next, planar_place(type, site, point.x(), point.y(), random));
      } else {
        const PoseR drawn = pose_in(random, Real(0.05) * s);
        sketch.link(type, last, next, site.frame * PoseR{drawn.R, point + drawn.p});
      }
      last = next;
    }
  }
}

}  // namespace kinloop::adversary
