// Owns the `parameters:` section of a file: named numbers that may refer to each other in any order.
#include "services/files/parameters.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "services/files/expression.hpp"
#include "services/files/parameter_settings.hpp"

namespace kinloop {
namespace {

struct Parameter {
  const YamlEntry* entry = nullptr;
  std::vector<std::size_t> uses;     // parameters in its expression
  std::vector<std::size_t> used_by;  // parameters whose expression has it
  std::size_t open_uses = 0;         // uses not yet evaluated
};

std::string path_of(const YamlEntry& entry) {
  return "parameters." + entry.key + (is_set_from_outside(entry.value) ? " (" + std::string(kSetOption) + ")" : "");
}

// Whether the entry may be evaluated; reports why not.
bool is_usable(const YamlEntry& entry, Diagnostics& diagnostics) {
  if (std::string problem = problem_with_name(entry.key); !problem.empty()) {
    diagnostics.add(entry.key_position, "parameters", std::move(problem));
    return false;
  }
  if (!entry.value.is_scalar()) {
    diagnostics.add(entry.value.position, path_of(entry),
                    "expected a number or an expression, got " + std::string(kind_name(entry.value)));
    return false;
  }
  return true;
}

std::vector<Parameter> link(const std::vector<const YamlEntry*>& entries) {
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < entries.size(); ++i) index.emplace(entries[i]->key, i);
  std::vector<Parameter> parameters(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    parameters[i].entry = entries[i];
    for (const NameUse& use : parameters_used(entries[i]->value.text)) {
      const auto found = index.find(use.name);
      if (found == index.end()) continue;
      parameters[i].uses.push_back(found->second);
      parameters[found->second].used_by.push_back(i);
      ++parameters[i].open_uses;
    }
  }
  return parameters;
}

void evaluate(const YamlEntry& entry, ParameterScope& scope, Diagnostics& diagnostics) {
  if (diagnostics.is_full()) return;  // bounds the time a hostile file takes
  const Result<Quantity, ExpressionError> value = evaluate_expression(entry.value.text, scope);
  if (value) {
    scope.set(entry.key, *value);
    return;
  }
  const ExpressionError& error = value.error();
  if (!error.is_consequence) {
    diagnostics.add(entry.value.position_in_text(error.offset), path_of(entry), error.what);
  }
}

// Evaluates what depends only on evaluated parameters until nothing more does (Kahn's algorithm).
void evaluate_in_order(std::vector<Parameter>& parameters, ParameterScope& scope, Diagnostics& diagnostics) {
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].open_uses == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const std::size_t i = ready.back();
    ready.pop_back();
    evaluate(*parameters[i].entry, scope, diagnostics);
    for (const std::size_t user : parameters[i].used_by) {
      if (--parameters[user].open_uses == 0) ready.push_back(user);
    }
  }
}

// What is still open uses something that is open, so following such uses ends in a cycle. Each cycle is reported
// once, at its first parameter in the file.
void report_cycles(const std::vector<Parameter>& parameters, Diagnostics& diagnostics) {
  constexpr std::size_t kUnseen = 0;
  std::vector<std::size_t> seen_by(parameters.size(), kUnseen);
  for (std::size_t start = 0; start < parameters.size(); ++start) {
    if (parameters[start].open_uses == 0) continue;
    std::vector<std::size_t> walk;
    std::size_t at = start;
    while (seen_by[at] == kUnseen) {
      seen_by[at] = start + 1;
      walk.push_back(at);
      const std::vector<std::size_t>& uses = parameters[at].uses;
      at = *std::find_if(uses.begin(), uses.end(), [&](std::size_t use) { return parameters[use].open_uses > 0; });
    }
    if (seen_by[at] != start + 1) continue;  // runs into a cycle already reported
    std::vector<std::size_t> cycle(std::find(walk.begin(), walk.end(), at), walk.end());
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    constexpr std::size_t kShownNames = 8;
    std::string text = "refers to itself: ";
    for (std::size_t i = 0; i < std::min(cycle.size(), kShownNames); ++i) {
      text += parameters[cycle[i]].entry->key + " -> ";
    }
    if (cycle.size() > kShownNames) text += "... -> ";
    const YamlEntry& first = *parameters[cycle[0]].entry;
    diagnostics.add(first.key_position, path_of(first), text + first.key);
  }
}

}  // namespace

ParameterScope read_parameters(const YamlNode& section, Diagnostics& diagnostics) {
  ParameterScope scope;
  if (!section.is_mapping()) {
    if (!section.is_null()) {
      diagnostics.add(section.position, "parameters",
                      "expected a mapping of names to numbers, got " + std::string(kind_name(section)));
    }
    return scope;
  }
  if (section.entries.size() > kMaxParameters) {
    diagnostics.add(section.position, "parameters", "more than " + std::to_string(kMaxParameters) + " parameters");
    return scope;
  }
  std::vector<const YamlEntry*> usable;
  for (const YamlEntry& entry : section.entries) {
    scope.set(entry.key, std::nullopt);  // known from now on, so that its use elsewhere is no second error
    if (is_usable(entry, diagnostics)) usable.push_back(&entry);
  }
  std::vector<Parameter> parameters = link(usable);
  evaluate_in_order(parameters, scope, diagnostics);
  report_cycles(parameters, diagnostics);
  return scope;
}

}  // namespace kinloop
