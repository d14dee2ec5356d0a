// Collects the two bodies of every element.
#include "core/forces/loaded_bodies.hpp"

#include <algorithm>

#include "core/base/at.hpp"

namespace kinloop {

std::vector<int> loaded_bodies(const Model& model) {
  std::vector<int> bodies;
  const auto add_pairs = [&](const auto& elements) {
    for (const auto& element : elements) {
      bodies.push_back(element.body_a);
      bodies.push_back(element.body_b);
    }
  };
  add_pairs(model.springs());
  add_pairs(model.bushings());
  add_pairs(model.ropes());
  for (const ContactPoint& point : model.contact_points()) {
    bodies.push_back(point.body);
    bodies.push_back(model.planes()[at(point.plane)].body);
  }
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  return bodies;
}

}  // namespace kinloop
