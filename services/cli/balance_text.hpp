// Owns the line in which `sim` tells where the energy went.
#pragma once

#include <string>
#include <string_view>

#include "core/integrators/energy_balance.hpp"

namespace kinloop::cli {

/// Only what is not zero. What creates energy is named, and the largest source of it is called so.
std::string balance_text(const EnergyBalance& balance, std::string_view integrator);

}  // namespace kinloop::cli
