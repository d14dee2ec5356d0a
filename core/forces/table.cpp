// The table of force elements: a new kind is its file, its line in force_element.hpp and its entry here.
#include <array>

#include "core/forces/force_element.hpp"

namespace kinloop {

std::span<const ForceElementKind* const> force_element_kinds() noexcept {
  static constexpr std::array<const ForceElementKind*, 5> kKinds = {
      &force_elements::kJointForce, &force_elements::kPointSpring, &force_elements::kBushing,
      &force_elements::kRope,       &force_elements::kContact,
  };
  return kKinds;
}

}  // namespace kinloop
