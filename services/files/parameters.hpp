// Owns the `parameters:` section of a file: named numbers that may refer to each other in any order.
#pragma once

#include <cstddef>

#include "services/base/diagnostics.hpp"
#include "services/files/parameter_scope.hpp"
#include "services/files/yaml_node.hpp"

namespace kinloop {

inline constexpr std::size_t kMaxParameters = 10'000;

/// Evaluates every parameter of a mapping name → number or expression; reports wrong names, wrong expressions and
/// cycles. A parameter that is wrong is in the scope without a value.
ParameterScope read_parameters(const YamlNode& section, Diagnostics& diagnostics);

}  // namespace kinloop
