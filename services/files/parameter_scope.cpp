// Owns ParameterScope: the named values that expressions may use.
#include "services/files/parameter_scope.hpp"

#include "core/base/require.hpp"

namespace kinloop {

ParameterScope::ParameterScope(const ParameterScope& outer, const std::string& index, std::size_t value)
    : outer_(&outer), round_(outer.round_) {
  if (!round_.empty()) round_ += ", ";
  round_ += index + " = " + std::to_string(value);
  values_.emplace(index,
                  Quantity{static_cast<double>(value), Quantity::Knowledge::kPure, Dimension::none(), std::string{}});
}

const std::optional<Quantity>* ParameterScope::find(std::string_view name) const {
  for (const ParameterScope* scope = this; scope != nullptr; scope = scope->outer_) {
    const auto found = scope->values_.find(name);
    if (found != scope->values_.end()) return &found->second;
  }
  return nullptr;
}

bool ParameterScope::is_index(std::string_view name) const {
  // Only the outermost scope holds parameters, all others one index each.
  for (const ParameterScope* scope = this; scope->outer_ != nullptr; scope = scope->outer_) {
    if (scope->values_.contains(name)) return true;
  }
  return false;
}

const std::optional<Quantity>& ParameterScope::value(std::string_view name) const {
  const std::optional<Quantity>* found = find(name);
  require(found != nullptr, "the parameter is in scope");
  return *found;
}

std::vector<std::string_view> ParameterScope::names() const {
  std::vector<std::string_view> names;
  for (const ParameterScope* scope = this; scope != nullptr; scope = scope->outer_) {
    for (const auto& [name, value] : scope->values_) names.push_back(name);
  }
  return names;
}

}  // namespace kinloop
