// Owns what is told of command chains that are too slow for their mechanism.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/model/model.hpp"
#include "core/plant/plant_spec.hpp"

namespace kinloop {

/// Where delay, lag or rate limit of an actuator keep it from following the mechanism: a linearization is then that of
/// a machine which the commands do not reach, and a controller designed by it will not do what it promises.
std::vector<Error> chain_warnings(const Model& model, const PlantSpec& spec);

}  // namespace kinloop
