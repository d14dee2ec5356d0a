// Random trees of all joint types with random loops of all joint types.
#include <array>

#include "core/base/at.hpp"
#include "tests/adversary/families.hpp"

namespace kinloop::adversary {
namespace {

JointType any_type(Random& random) { return static_cast<JointType>(random.below(11)); }

}  // namespace

JointType tree_type(Random& random) {
  constexpr std::array kTypes = {JointType::kRevolute,  JointType::kRevolute,  JointType::kRevolute,
                                 JointType::kPrismatic, JointType::kScrew,     JointType::kCylindrical,
                                 JointType::kUniversal, JointType::kSpherical, JointType::kPlanar,
                                 JointType::kPinSlot,   JointType::kCam};
  const bool rare = random.happens(0.04);
  const JointType drawn = kTypes[at(random.below(static_cast<int>(kTypes.size())))];
  const bool fixed = random.happens(0.5);
  return rare ? (fixed ? JointType::kFixed : JointType::kFree) : drawn;
}

void add_spatial(const Site& site, int bodies, Random& random, Sketch& sketch) {
  std::vector<int> own{site.base};
  const double reach = random.uniform();
  const auto place = [&] {
    const Real reach_m = reach_of(site, random);
    return site.frame * pose_in(random, reach_m * static_cast<Real>(bodies > 8 ? 2.0 : 1.0));
  };
  for (int i = 0; i < bodies; ++i) {
    const int any = own[at(random.below(static_cast<int>(own.size())))];
    const int from = random.happens(reach) ? own.back() : any;
    own.push_back(sketch.add_body(site.size_m));
    const JointType type = tree_type(random);
    sketch.link(type, from, own.back(), place());
  }
  const int loops = 1 + random.below(2 + bodies / 6);
  for (int i = 0; i < loops && bodies > 1; ++i) {
    const int count = static_cast<int>(own.size());
    const int a = random.below(count);
    const int b = (a + 1 + random.below(count - 1)) % count;
    const JointType type = any_type(random);
    sketch.link_if_possible(type, own[at(a)], own[at(b)], place());
  }
}

}  // namespace kinloop::adversary
