// Loops within loops: small mechanisms of all families, each standing on any body of those before.
#include <algorithm>
#include <array>

#include "core/base/at.hpp"
#include "tests/adversary/families.hpp"

namespace kinloop::adversary {

void add_nested(const Site& site, int bodies, Random& random, Sketch& sketch) {
  constexpr std::array kParts = {add_planar, add_ladder, add_parallel, add_overconstrained, add_singular, add_spatial};
  const int first = sketch.body_count();
  const bool mixed_sizes = random.happens(0.25);
  Site here = site;
  const int parts = 2 + random.below(4);
  for (int i = 0; i < parts; ++i) {
    const AddMechanism add = kParts[at(random.below(static_cast<int>(kParts.size())))];
    add(here, std::clamp(bodies / parts, 3, 8), random, sketch);
    // The next stands on a body of this one: its base joints are drawn near one of that body's.
    const int count = sketch.body_count() - first;
    here.base = first + random.below(count);
    Vector3R near = here.frame.p;
    for (const Link& link : sketch.links) {
      if (link.a == here.base || link.b == here.base) near = link.place.p;
    }
    const Real factor = loguniform(random, 1e-2L, 10.0L);
    if (mixed_sizes) here.size_m = std::clamp(here.size_m * factor, Real(1e-3L), Real(100));
    const PoseR drawn = pose_in(random, Real(0.2) * here.size_m);
    here.frame = PoseR{drawn.R, near + drawn.p};
    if (random.happens(0.15)) here.base = site.base;
  }
}

}  // namespace kinloop::adversary
