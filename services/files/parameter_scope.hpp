// Owns ParameterScope: the named values that expressions may use.
#pragma once

#include <cstddef>
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
  ParameterScope() = default;
  /// The scope of one round of a repeat: all of `outer`, which must outlive it, and the index with its value there.
  ParameterScope(const ParameterScope& outer, const std::string& index, std::size_t value);

  void set(std::string name, std::optional<Quantity> value) {
    values_.insert_or_assign(std::move(name), std::move(value));
  }

  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// Whether the name is the index of a repeat around here.
  bool is_index(std::string_view name) const;

  /// Precondition: contains(name).
  const std::optional<Quantity>& value(std::string_view name) const;

  std::vector<std::string_view> names() const;

  /// Which round of a repeat this is, for messages: "i = 2", or "i = 2, j = 0" where they are nested; empty outside.
  const std::string& round() const noexcept { return round_; }

 private:
  const std::optional<Quantity>* find(std::string_view name) const;

  const ParameterScope* outer_ = nullptr;
  std::string round_;
  std::map<std::string, std::optional<Quantity>, std::less<>> values_;
};

}  // namespace kinloop
