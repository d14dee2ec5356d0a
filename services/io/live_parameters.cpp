// Names and texts; what they mean is found when the model is read with them.
#include "services/io/live_parameters.hpp"

#include <algorithm>

#include "services/files/expression.hpp"
#include "services/files/yaml_document.hpp"

namespace kinloop::io {
namespace {

ParameterSetting* find_in(ParameterList& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.name == name; });
  return found != list.end() ? &*found : nullptr;
}

void put_into(ParameterList& list, const ParameterSetting& setting) {
  if (ParameterSetting* there = find_in(list, setting.name)) {
    there->value = setting.value;
  } else {
    list.push_back(setting);
  }
}

}  // namespace

LiveParameters::LiveParameters(const RigSpec& rig) {
  const auto document = read_yaml_file(rig.model);
  const YamlNode* section =
      document ? document->root.find("parameters") != nullptr ? &document->root.find("parameters")->value : nullptr
               : nullptr;
  if (section == nullptr || !section->is_mapping()) return;
  for (const YamlEntry& entry : section->entries) original_.push_back({entry.key, entry.value.text});
  for (const ParameterSetting& setting : rig.parameters) put_into(original_, setting);
  all_ = original_;
}

const ParameterSetting* LiveParameters::find(std::string_view name) const noexcept {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& one) { return one.name == name; });
  return found != all_.end() ? &*found : nullptr;
}

bool LiveParameters::is_derived(const ParameterSetting& setting) const {
  const std::vector<NameUse> used = parameters_used(setting.value);
  return std::any_of(used.begin(), used.end(), [&](const NameUse& use) { return find(use.name) != nullptr; });
}

void LiveParameters::set(const ParameterList& changed, std::uint64_t number) {
  changed_ = changed;
  number_ = number;
  all_ = original_;
  for (const ParameterSetting& setting : changed) put_into(all_, setting);
}

ParameterList LiveParameters::with(const ParameterList& more) const {
  ParameterList list = changed_;
  for (const ParameterSetting& setting : more) put_into(list, setting);
  return list;
}

std::string to_lines(const ParameterList& parameters) {
  std::string text;
  for (const ParameterSetting& setting : parameters) text += setting.name + "\t" + setting.value + "\n";
  return text;
}

ParameterList from_lines(std::string_view lines) {
  ParameterList list;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) continue;
    list.push_back({std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))});
  }
  return list;
}

}  // namespace kinloop::io
