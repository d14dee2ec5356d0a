// Owns the parameters of a file that are set from outside, as `--set name=value` does.
#include "services/files/parameter_settings.hpp"

#include <algorithm>
#include <string_view>

#include "core/base/nearest_name.hpp"

namespace kinloop {
namespace {

YamlEntry* find_entry(YamlNode& mapping, std::string_view key) {
  const auto found = std::find_if(mapping.entries.begin(), mapping.entries.end(),
                                  [key](const YamlEntry& entry) { return entry.key == key; });
  return found == mapping.entries.end() ? nullptr : &*found;
}

Error unknown_parameter(const std::string& name, const YamlNode& parameters) {
  const std::string where = std::string(kSetOption) + " " + name;
  if (parameters.entries.empty()) return {where, "the model has no parameters"};
  std::vector<std::string_view> known;
  known.reserve(parameters.entries.size());
  for (const YamlEntry& entry : parameters.entries) known.push_back(entry.key);
  return {where, "the model has no parameter " + in_quotes(name) + did_you_mean(name, known)};
}

}  // namespace

std::vector<Error> set_parameters(const std::vector<ParameterSetting>& settings, YamlDocument& document) {
  std::vector<Error> errors;
  YamlNode none;
  YamlEntry* section = find_entry(document.root, "parameters");
  YamlNode& parameters = section == nullptr ? none : section->value;
  for (const ParameterSetting& setting : settings) {
    YamlEntry* entry = find_entry(parameters, setting.name);
    if (entry == nullptr) {
      errors.push_back(unknown_parameter(setting.name, parameters));
      continue;
    }
    entry->value = YamlNode{};
    entry->value.kind = YamlNode::Kind::kScalar;
    entry->value.text = setting.value;
  }
  return errors;
}

std::optional<std::string> parameter_at_fault(const Error& error) {
  const std::string_view where = error.where;
  const std::string before = std::string(kSetOption) + " ";
  if (where.starts_with(before)) return std::string(where.substr(before.size()));
  constexpr std::string_view kSection = ": parameters.";
  const std::string behind = " (" + std::string(kSetOption) + ")";
  const std::size_t section = where.rfind(kSection);
  if (!where.ends_with(behind) || section == std::string_view::npos) return std::nullopt;
  const std::string_view name = where.substr(section + kSection.size());
  return std::string(name.substr(0, name.size() - behind.size()));
}

bool is_set_from_outside(const YamlNode& value) noexcept { return value.position.line == 0; }

}  // namespace kinloop
