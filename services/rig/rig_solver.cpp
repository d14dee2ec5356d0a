// How much work a step is given: the solver wanted, and the cheaper ones for steps that come too late.
#include <algorithm>

#include "core/base/nearest_name.hpp"
#include "core/dynamics/forward_dynamics.hpp"
#include "core/integrators/integrator.hpp"
#include "core/integrators/step_limits.hpp"
#include "services/rig/field_kinds.hpp"
#include "services/rig/rig_tables.hpp"

namespace kinloop {
namespace {

constexpr long long kMaxSubsteps = 1000;
constexpr long long kMaxIterations = 1000;

std::vector<std::string_view> dynamics_names() {
  std::vector<std::string_view> names = {kAutoWord};
  for (const DynamicsKind& kind : dynamics_kinds()) names.push_back(kind.name);
  return names;
}

std::vector<std::string_view> integrator_names() {
  std::vector<std::string_view> names = {kAutoIntegrator};
  for (const IntegratorKind& kind : integrator_kinds()) names.push_back(kind.name);
  return names;
}

void read_gains(const KeyReading& key, Baumgarte& gains) {
  const auto read = key.fields.optional_numbers(key.name, Dimension::per_time(), Range::kNonNegative);
  if (!read) return;
  if (read->size() == 2) {
    gains = {(*read)[0], (*read)[1]};
  } else {
    key.error("expected two gains [a, b], got a list of " + std::to_string(read->size()));
  }
}

struct Gains : Special<Baumgarte> {
  static bool equal(const Baumgarte& a, const Baumgarte& b) { return a.a_per_s == b.a_per_s && a.b_per_s == b.b_per_s; }
};

void check_level(Fields& fields, const SolverLevel& level, const RigScope& scope) {
  if (scope.model != nullptr && fields.has("dynamics")) {
    for (const DynamicsKind& kind : dynamics_kinds()) {
      const std::string refusal = kind.name == level.dynamics ? kind.refusal(*scope.model) : std::string{};
      if (!refusal.empty()) {
        fields.error("dynamics", in_quotes(level.dynamics) + " does not suit the model: it " + refusal);
      }
    }
  }
  const Stabilization& loops = level.loops;
  if (loops.max_open < loops.tolerance) {
    fields.error(fields.has("loop_max_open") ? "loop_max_open" : "loop_tolerance",
                 "a loop that is open by " + shown(loops.tolerance) + " counts as closed, but one that is open by " +
                     shown(loops.max_open) + " fails: loop_max_open must be above loop_tolerance");
  }
}

SolverLevel read_level(Fields& fields, SolverLevel level, const RigScope& scope) {
  read_fields(solver_fields(), fields, scope, level);
  check_level(fields, level, scope);
  fields.finish();
  return level;
}

}  // namespace

const RigFields<SolverLevel>& solver_fields() {
  using S = Stabilization;
  constexpr auto kIn = &SolverLevel::loops;
  static const RigFields<SolverLevel> kFields = {
      field("dynamics", Method{dynamics_names}, "auto",
            "`auto` or a [formulation](formulations.md) that suits the model", &SolverLevel::dynamics),
      field("integrator", Method{integrator_names}, "auto",
            "`auto`, `semi_implicit_euler`, `heun`, `rk4`, `ab2`, `ab3`, `ab4`, `linearly_implicit`",
            &SolverLevel::integrator),
      field("substeps", Whole{1, kMaxSubsteps}, "1",
            "steps of the integrator within one step of the rig; commands are held over them", &SolverLevel::substeps),
      field("loops", Word<StabilizationKind>{stabilization_names}, "projection",
            "how loops are kept closed: `projection`, `baumgarte`, `none`", kIn, &S::kind),
      field("loop_tolerance", Number{.range = Range::kPositive}, "1e-11",
            "to which they count as closed: rad, or lengths of the mechanism", kIn, &S::tolerance),
      field("loop_iterations", Whole{1, kMaxIterations}, "10",
            "most iterations to close positions, and again velocities", kIn, &S::max_iterations),
      field("loop_max_open", Number{.range = Range::kPositive}, "1e-3",
            "a step that leaves a loop open by more has failed", kIn, &S::max_open),
      field("baumgarte",
            Gains{{read_gains,
                   [](const Baumgarte& gains, const WriteScope&) {
                     return Limits::range_text(gains.a_per_s, gains.b_per_s);
                   },
                   array_schema(2, kQuantitySchema)}},
            "[10, 10]", "gains `[a, b]`, 1/s", kIn, &S::baumgarte),
  };
  return kFields;
}

void read_solver(Fields& root, const RigScope& scope, RigSpec& spec) {
  std::vector<SolverLevel>& levels = spec.plant.levels;
  SolverLevel full;
  if (std::optional<Fields> solver = root.optional_child("solver")) full = read_level(*solver, full, scope);
  levels = {full};
  std::vector<Fields> degraded = root.optional_list("degraded_solvers");
  if (degraded.size() > kMaxDegradedSolvers) {
    root.error("degraded_solvers",
               "at most " + std::to_string(kMaxDegradedSolvers) + " levels, got " + std::to_string(degraded.size()));
    return;
  }
  for (Fields& solver : degraded) levels.push_back(read_level(solver, full, scope));
}

}  // namespace kinloop
