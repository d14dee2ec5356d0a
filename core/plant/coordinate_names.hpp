// Finds the number of a coordinate or speed by its public name: "crank", or "gimbal.1" where a joint has
// several.
#pragma once

#include <string_view>

#include "core/base/result.hpp"
#include "core/model/model.hpp"

namespace kinloop {

/// The speed that Model::speed_name() calls so. An error says what is wrong with the name and what was perhaps meant;
/// `prefix` stands before the names it proposes ("u.").
Result<int> find_speed(const Model& model, std::string_view name, std::string_view prefix = "");

/// The position coordinate of that name. The same but for joints with a quaternion, which have one more of them.
Result<int> find_coordinate(const Model& model, std::string_view name, std::string_view prefix = "");

}  // namespace kinloop
