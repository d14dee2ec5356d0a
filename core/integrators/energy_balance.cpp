// Looks for what should not have given energy.
#include "core/integrators/energy_balance.hpp"

#include <algorithm>

namespace kinloop {

EnergySource largest_source(const EnergyBalance& balance) noexcept {
  EnergySource largest{"the integrator", std::max(0.0, balance.rest_J)};
  const auto compare = [&](std::string_view name, double created_J) {
    if (created_J > largest.created_J) largest = {name, created_J};
  };
  compare("the projection", balance.projection_J);
  for (const NamedLoss& loss : kNamedLosses) compare(loss.name, -(balance.dissipated.*loss.part));
  return largest;
}

}  // namespace kinloop
