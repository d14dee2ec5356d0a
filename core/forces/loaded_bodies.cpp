// Asks every kind of element.
#include "core/forces/loaded_bodies.hpp"

#include <algorithm>

#include "core/forces/force_element.hpp"

namespace kinloop {

std::vector<int> loaded_bodies(const Model& model) {
  std::vector<int> bodies;
  for (const ForceElementKind* kind : force_element_kinds()) {
    if (kind->add_bodies != nullptr) kind->add_bodies(model, bodies);
  }
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  return bodies;
}

}  // namespace kinloop
