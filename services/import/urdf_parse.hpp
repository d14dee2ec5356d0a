// Owns the call of urdfdom: silent, without exceptions, its messages as an error.
#pragma once

#include <urdf_model/model.h>

#include <memory>
#include <string>

#include "core/base/result.hpp"

namespace kinloop {

/// Parses a file that check_urdf() has accepted; what urdfdom refuses nonetheless is reported in its own words.
Result<std::shared_ptr<urdf::ModelInterface>> parse_urdf(const std::string& file_name, const std::string& text);

}  // namespace kinloop
