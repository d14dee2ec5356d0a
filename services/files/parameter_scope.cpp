// Owns ParameterScope: the named values that expressions may use.
#include "services/files/parameter_scope.hpp"

#include "core/base/require.hpp"

namespace kinloop {

const std::optional<Quantity>& ParameterScope::value(std::string_view name) const {
  const auto found = values_.find(name);
  require(found != values_.end(), "the parameter is in scope");
  return found->second;
}

std::vector<std::string_view> ParameterScope::names() const {
  std::vector<std::string_view> names;
  names.reserve(values_.size());
  for (const auto& [name, value] : values_) names.push_back(name);
  return names;
}

}  // namespace kinloop
