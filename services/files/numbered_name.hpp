// Owns names that are numbered by expressions: "bar<i + 1>" is bar3 where i is 2.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "services/files/expression.hpp"

// Angle brackets, since YAML takes no other pair as plain text within its own brackets: in {name: bar{i}} the second
// brace is a syntax error, {name: bar<i>} is fine.
namespace kinloop {

/// The name with every expression in angle brackets replaced by its value, which must be whole.
Result<std::string, ExpressionError> numbered_name(std::string_view text, const ParameterScope& scope);

}  // namespace kinloop
