// Planar mechanisms in tilted planes: hinges, slides, pins in slots and cams, closed anywhere.
#include "core/base/at.hpp"
#include "tests/adversary/families.hpp"

namespace kinloop::adversary {
namespace {

JointType planar_type(Random& random) {
  const double x = random.uniform();
  if (x < 0.62) return JointType::kRevolute;
  if (x < 0.78) return JointType::kPrismatic;
  if (x < 0.92) return JointType::kPinSlot;
  return x < 0.96 ? JointType::kCam : JointType::kPlanar;
}

int planar_dofs(JointType type) {
  if (type == JointType::kRevolute || type == JointType::kPrismatic) return 1;
  return type == JointType::kPlanar ? 3 : 2;
}

}  // namespace

void add_planar(const Site& site, int bodies, Random& random, Sketch& sketch) {
  std::vector<int> own{site.base};
  int dofs = 0;
  const auto place = [&](JointType type) {
    const Real reach_m = reach_of(site, random);
    const Real x = reach_m * static_cast<Real>(random.uniform(-1.0, 1.0));
    const Real y = reach_m * static_cast<Real>(random.uniform(-1.0, 1.0));
    return planar_place(type, site, x, y, random);
  };
  const double reach = random.uniform(0.3, 1.0);
  for (int i = 0; i < bodies; ++i) {
    const int any = own[at(random.below(static_cast<int>(own.size())))];
    const int from = random.happens(reach) ? own.back() : any;
    own.push_back(sketch.add_body(site.size_m));
    const JointType type = planar_type(random);
    dofs += planar_dofs(type);
    sketch.link(type, from, own.back(), place(type));
  }
  const int wanted = 1 + random.below(3);
  for (int attempt = 0; attempt < 3 * bodies && dofs > wanted; ++attempt) {
    const int count = static_cast<int>(own.size());
    if (count < 2) break;
    const int a = random.below(count);
    const int b = (a + 1 + random.below(count - 1)) % count;
    const JointType type = planar_type(random);
    if (dofs - 3 + planar_dofs(type) < wanted) continue;
    dofs -= 3 - planar_dofs(type);
    sketch.link_if_possible(type, own[at(a)], own[at(b)], place(type));
  }
}

}  // namespace kinloop::adversary
