// Owns what is told of command chains that are too slow for their mechanism. For analysis: it allocates.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/plant/plant_spec.hpp"

namespace kinloop {

class Model;

/// Where delay, lag or rate limit of an actuator keep it from following the mechanism: a linearization is then that of
/// a machine which the commands do not reach, and a controller designed by it will not do what it promises. They are
/// compared with the slowest motion of the mechanism alone, at its start, that grows by itself; if none does, with the
/// slowest that swings; else with a pendulum of its length. Nothing is said where nothing pulls it anywhere.
std::vector<Error> chain_warnings(const Model& model, const PlantSpec& spec);

}  // namespace kinloop
