// Loops that share bodies anywhere: chains of all joint types between any two bodies of those before.
#include "core/base/at.hpp"
#include "tests/adversary/families.hpp"
#include "tests/adversary/joint_transform.hpp"

namespace kinloop::adversary {

void add_woven(const Site& site, int bodies, Random& random, Sketch& sketch) {
  constexpr int kDirections = 6;
  std::vector<int> own{site.base};
  const auto place = [&] {
    const Real reach_m = reach_of(site, random);
    return site.frame * pose_in(random, reach_m);
  };
  const auto add_branch = [&] {
    const int from = own[at(random.below(static_cast<int>(own.size())))];
    own.push_back(sketch.add_body(site.size_m));
    const JointType type = tree_type(random);
    sketch.link(type, from, own.back(), place());
  };
  const int most = sketch.body_count() + bodies;
  const int branches = 1 + random.below(3);
  for (int i = 0; i < branches; ++i) add_branch();
  while (sketch.body_count() < most) {
    if (random.happens(0.15)) {
      add_branch();
      continue;
    }
    const int count = static_cast<int>(own.size());
    const int a = random.below(count);
    const int b = (a + 1 + random.below(count - 1)) % count;
    // What a chain lacks of six degrees of freedom it takes from the mechanism.
    const int wanted = kDirections - 1 + random.below(3);
    int last = own[at(a)];
    int dofs = 0;
    while (true) {
      const JointType type = tree_type(random);
      dofs += joint_size(type).nv;
      if (dofs >= wanted) {
        sketch.link_if_possible(type, last, own[at(b)], place());
        break;
      }
      const int next = sketch.add_body(site.size_m);
      sketch.link(type, last, next, place());
      own.push_back(next);
      last = next;
    }
  }
}

}  // namespace kinloop::adversary
