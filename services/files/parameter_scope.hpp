// Owns ParameterScope: the named values that expressions may use.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/files/quantity.hpp"

namespace kinloop {

/// Parameter names and their values. A parameter whose own expression was wrong is known but has no value, so that
/// one mistake is reported once.
class ParameterScope {
 public:
  void set(std::string name, std::optional<Quantity> value) {
    values_.insert_or_assign(std::move(name), std::move(value));
  }

  bool contains(std::string_view name) const { return values_.find(name) != values_.end(); }

  /// Precondition: contains(name).
  const std::optional<Quantity>& value(std::string_view name) const;

  std::vector<std::string_view> names() const;

 private:
  std::map<std::string, std::optional<Quantity>, std::less<>> values_;
};

}  // namespace kinloop
