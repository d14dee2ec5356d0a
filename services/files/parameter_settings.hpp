// Owns the parameters of a file that are set from outside, as `--set name=value` does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "services/files/yaml_document.hpp"

namespace kinloop {

/// A parameter and what it is to be instead: a number or an expression, as in the file.
struct ParameterSetting {
  std::string name;
  std::string value;

  bool operator==(const ParameterSetting&) const = default;
};

/// Puts the values into the section `parameters` of the document; the errors name parameters that are not there.
/// What is wrong with a value itself is found when the section is read.
std::vector<Error> set_parameters(const std::vector<ParameterSetting>& settings, YamlDocument& document);

/// How errors name what was set from outside.
inline constexpr std::string_view kSetOption = "--set";

/// The parameter set from outside that the error is about, if it is about one: whoever set it knows a better place.
std::optional<std::string> parameter_at_fault(const Error& error);

/// Whether the value was put there by set_parameters(), so that it has no place in the file.
bool is_set_from_outside(const YamlNode& value) noexcept;

}  // namespace kinloop
