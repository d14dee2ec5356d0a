// Reads how much work a step is given: the solver wanted, and the cheaper ones for steps that come too late.
#include <algorithm>
#include <array>

#include "core/base/nearest_name.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/integrators/integrator.hpp"
#include "services/rig/rig_sections.hpp"
#include "services/rig/rig_words.hpp"

namespace kinloop {
namespace {

constexpr int kMaxSubsteps = 1000;
constexpr int kMaxIterations = 1000;
constexpr std::size_t kMaxDegraded = 15;

/// One of the names of a table; `fallback` if it is absent or wrong.
std::string read_method(Fields& fields, std::string_view key, const std::vector<std::string_view>& names,
                        const std::string& fallback) {
  const YamlNode* value = fields.node(key);
  if (value == nullptr) return fallback;
  const std::optional<std::size_t> index = fields.values().choice(*value, fields.path_of(key), names);
  return index ? std::string(names[*index]) : fallback;
}

std::string read_dynamics(Fields& fields, const std::string& fallback, const RigScope& scope) {
  std::vector<std::string_view> names = {kAutoWord};
  for (const DynamicsKind& kind : dynamics_kinds()) names.push_back(kind.name);
  std::string name = read_method(fields, "dynamics", names, fallback);
  if (scope.model == nullptr || !fields.has("dynamics")) return name;
  for (const DynamicsKind& kind : dynamics_kinds()) {
    const std::string refusal = kind.name == name ? kind.refusal(*scope.model) : std::string{};
    if (!refusal.empty()) fields.error("dynamics", in_quotes(name) + " does not suit the model: it " + refusal);
  }
  return name;
}

std::string read_integrator(Fields& fields, const std::string& fallback) {
  std::vector<std::string_view> names;
  for (const IntegratorKind& kind : integrator_kinds()) names.push_back(kind.name);
  return read_method(fields, "integrator", names, fallback);
}

Stabilization read_loops(Fields& fields, Stabilization loops) {
  loops.kind = fields.choice_or("loops", loop_words(), loops.kind);
  loops.tolerance = fields.number_or("loop_tolerance", Dimension::none(), loops.tolerance, Range::kPositive);
  loops.max_iterations =
      static_cast<int>(fields.integer_or("loop_iterations", 1, kMaxIterations, loops.max_iterations));
  loops.max_open = fields.number_or("loop_max_open", Dimension::none(), loops.max_open, Range::kPositive);
  if (loops.max_open < loops.tolerance) {
    fields.error(fields.has("loop_max_open") ? "loop_max_open" : "loop_tolerance",
                 "a loop that is open by " + shown(loops.tolerance) + " counts as closed, but one that is open by " +
                     shown(loops.max_open) + " fails: loop_max_open must be above loop_tolerance");
  }
  const std::optional<std::vector<double>> gains =
      fields.optional_numbers("baumgarte", Dimension::per_time(), Range::kNonNegative);
  if (!gains) return loops;
  if (gains->size() == 2) {
    loops.baumgarte = {(*gains)[0], (*gains)[1]};
  } else {
    fields.error("baumgarte", "expected two gains [a, b], got a list of " + std::to_string(gains->size()));
  }
  return loops;
}

SolverLevel read_level(Fields& fields, const SolverLevel& start, const RigScope& scope) {
  SolverLevel level;
  level.dynamics = read_dynamics(fields, start.dynamics, scope);
  level.integrator = read_integrator(fields, start.integrator);
  level.substeps = static_cast<int>(fields.integer_or("substeps", 1, kMaxSubsteps, start.substeps));
  level.loops = read_loops(fields, start.loops);
  fields.finish();
  return level;
}

}  // namespace

void read_solvers(Fields& root, const RigScope& scope, RigSpec& spec) {
  std::vector<SolverLevel>& levels = spec.plant.levels;
  SolverLevel full;
  if (std::optional<Fields> solver = root.optional_child("solver")) full = read_level(*solver, full, scope);
  levels = {full};
  std::vector<Fields> degraded = root.optional_list("degraded_solvers");
  if (degraded.size() > kMaxDegraded) {
    root.error("degraded_solvers",
               "at most " + std::to_string(kMaxDegraded) + " levels, got " + std::to_string(degraded.size()));
    return;
  }
  for (Fields& solver : degraded) levels.push_back(read_level(solver, full, scope));
}

}  // namespace kinloop
