// Asks each kind of element in turn.
#include "core/forces/acting_elements.hpp"

#include "core/forces/force_element.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop {

ActingElements::ActingElements(const Model& model) {
  for (const ForceElementKind* kind : force_element_kinds()) {
    const std::size_t count = kind->one_sided.mark_acting != nullptr ? kind->count(model) : 0;
    acts_.resize(acts_.size() + count, 0);
    by_places_ = by_places_ || (count > 0 && kind->one_sided.by_places);
  }
}

void ActingElements::update(const Model& model, const double* q, const double* v, Workspace& ws) noexcept {
  if (by_places_) update_positions(model, q, ws);
  char* place = acts_.data();
  for (const ForceElementKind* kind : force_element_kinds()) {
    if (kind->one_sided.mark_acting == nullptr) continue;
    kind->one_sided.mark_acting(model, q, v, ws, place);
    place += kind->count(model);
  }
}

}  // namespace kinloop
