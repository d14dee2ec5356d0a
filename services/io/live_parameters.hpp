// Owns LiveParameters: the model's parameters as they are in force, and those that were changed while the plant runs.
#pragma once

#include <kinloop/v1/state.pb.h>

#include <string>
#include <vector>

#include "services/rig/rig_file.hpp"

namespace kinloop::io {

using ParameterList = std::vector<ParameterSetting>;

class LiveParameters {
 public:
  explicit LiveParameters(const RigSpec& rig);

  /// All of the model's, as in the file or as set since; models of other formats have none.
  const ParameterList& all() const noexcept { return all_; }
  const ParameterSetting* find(std::string_view name) const noexcept;
  /// Whether its value, as it is in force, is an expression that uses other parameters.
  bool is_derived(const ParameterSetting& setting) const;
  /// Those that differ from the rig's file.
  const ParameterList& changed() const noexcept { return changed_; }
  /// Of the set that is in force; 0: the rig's own.
  std::uint64_t number() const noexcept { return number_; }

  /// `changed` as a whole, in force from now on.
  void set(const ParameterList& changed, std::uint64_t number);
  /// What `changed` would be with these on top.
  ParameterList with(const ParameterList& more) const;

 private:
  ParameterList all_, changed_, original_;
  std::uint64_t number_ = 0;
};

/// Adds them to a repeated field of messages that have a name and a value.
template <class Messages>
void to_wire(const ParameterList& parameters, Messages& out) {
  for (const ParameterSetting& setting : parameters) {
    auto& message = *out.Add();
    message.set_name(setting.name);
    message.set_value(setting.value);
  }
}

/// "name<tab>value", one a line, for the plant's builder; and back. Whatever the text holds, this ends.
std::string to_lines(const ParameterList& parameters);
ParameterList from_lines(std::string_view lines);

}  // namespace kinloop::io
