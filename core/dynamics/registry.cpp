// The table of formulations: a new method is its file, its line in formulations.hpp and its entry here.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

#include "core/base/at.hpp"
#include "core/base/name_table.hpp"
#include "core/dynamics/formulations.hpp"
#include "core/dynamics/loop_cost.hpp"
#include "core/dynamics/loops/dof_tree.hpp"
#include "core/dynamics/loops/verified.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/dynamics/tree/verified_tree.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/math/tree_factorization.hpp"

namespace kinloop {

std::span<const DynamicsKind> dynamics_kinds() noexcept {
  static const std::array kinds = {formulations::kSemiRecursive1, formulations::kSemiRecursive2, formulations::kRfda,
                                   formulations::kRfdaConstraint, formulations::kPartition,      formulations::kRcr,
                                   formulations::kHybrid};
  return kinds;
}

namespace formulations {

std::string accept_all(const Model& /*model*/) { return {}; }

std::string refuse_loops(const Model& model) {
  if (!model.has_loops()) return {};
  return "solves trees only, and the model has closed loops: loop joints " + std::to_string(model.loops().size()) +
         ", couplings " + std::to_string(model.couplings().size());
}

}  // namespace formulations

namespace {

std::string microseconds(double ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f us", 1e-3 * ns);
  return text;
}

/// Whether each joint alone moves some inertia, as the methods that build the inertia of the open tree need it: by
/// their own measure, so that none is asked in vain.
bool has_regular_tree(const Model& model) {
  Workspace ws(model);
  const VectorX at_rest = VectorX::Zero(model.nv());
  update_kinematics(model, model.initial_q().data(), at_rest.data(), 0.0, ws);
  MatrixX M;
  mass_matrix(model, ws, M);
  const DofTree tree(model);
  MatrixX along(tree.size(), tree.size());
  for (int i = 0; i < tree.size(); ++i) {
    for (int j = 0; j <= i; ++j) along(i, j) = M(tree.speed[at(i)], tree.speed[at(j)]);
  }
  VectorX whole(tree.size());
  return factorize_tree(tree.parent, along, whole);
}

/// Whether `rcr` has no good basis at the initial position: the faster method is the one whose answer
/// need not be refined or asked again. Systems that `semi_recursive_2` would take long for keep the recursion.
bool is_poorly_reduced(const Model& model) {
  constexpr int kFewSpeeds = 200;
  constexpr double kPoor = 1e-3;  // pivots whose square leaves ten digits
  if (model.nv() > kFewSpeeds) return false;
  const auto rcr = formulations::kRcr.make(model);
  const State state(model);
  Workspace ws(model);
  return accelerations(model, state, Loads(model), *rcr, ws) != StepStatus::kOk || rcr->report().conditioning < kPoor;
}

}  // namespace

AutoChoice choose_dynamics(const Model& model) {
  if (!model.has_loops()) {
    return {"rfda",
            "a tree: the articulated-body recursion costs the same per body at every size and is the fastest measured"};
  }
  if (!has_regular_tree(model)) {
    return {"rcr", "closed loops with joints that move no inertia while the loops are open"};
  }
  const LoopCost cost = estimate_loop_cost(model);
  const std::string estimate = " (about " + microseconds(cost.rcr_ns) + " with rcr, " +
                               microseconds(cost.semi_recursive_2_ns) + " with semi_recursive_2)";
  if (cost.rcr_ns < cost.semi_recursive_2_ns && is_poorly_reduced(model)) {
    return {"semi_recursive_2", "closed loops whose start leaves rcr poor pivots: it would lose digits" + estimate};
  }
  if (cost.rcr_ns < cost.semi_recursive_2_ns) {
    return {"rcr", "closed loops that can be reduced one after the other" + estimate};
  }
  return {"semi_recursive_2", "closed loops that are solved faster all at once" + estimate};
}

Result<std::unique_ptr<Dynamics>> make_bare_dynamics(std::string_view name, const Model& model) {
  if (name == "auto") return make_bare_dynamics(choose_dynamics(model).name, model);
  std::vector<std::string_view> known = {"auto"};
  for (const DynamicsKind& kind : dynamics_kinds()) {
    known.push_back(kind.name);
    if (kind.name != name) continue;
    const std::string refusal = kind.refusal(model);
    if (!refusal.empty()) return Error{std::string(name), refusal};
    return kind.make(model);
  }
  return no_such("formulation", name, known);
}

namespace {

/// Those that may be asked after the first: one that looks at all constraints together, where the open tree has an
/// inertia and dense matrices of the model's size are bearable, and one that chooses coordinates.
std::vector<std::string_view> fallbacks_of(std::string_view first, const Model& model) {
  constexpr double kMaxEntries = 4e6;  // of a dense matrix: 32 MB
  const double size = std::max(model.nv(), constraint_rows(model));
  const bool dense = size * model.nv() <= kMaxEntries;
  std::vector<std::string_view> names;
  if (first != "semi_recursive_2" && dense && has_regular_tree(model)) names.emplace_back("semi_recursive_2");
  if (first != "rcr") names.emplace_back("rcr");
  if (first != "partition" && dense) names.emplace_back("partition");
  return names;
}

}  // namespace

std::optional<EvaluationCost> estimate_evaluation(std::string_view formulation, const Model& model) {
  if (!model.has_loops()) return {};
  const std::string_view first = formulation == "auto" ? choose_dynamics(model).name : formulation;
  const double usual_ns = estimate_evaluation_ns(first, model);
  if (!(usual_ns > 0.0)) return {};
  const std::vector<std::string_view> others = fallbacks_of(first, model);
  return EvaluationCost{usual_ns, usual_ns + (others.empty() ? 0.0 : estimate_evaluation_ns(others.front(), model))};
}

Result<std::unique_ptr<Dynamics>> make_dynamics(std::string_view name, const Model& model) {
  auto first = make_bare_dynamics(name, model);
  if (!first) return first;
  if (!model.has_loops()) {
    if (first.value()->name() == formulations::kRfda.name) return first;
    return make_verified_tree(model, std::move(first).value(), formulations::kRfda.make(model));
  }
  std::vector<std::unique_ptr<Dynamics>> formulations;
  formulations.push_back(std::move(first).value());
  for (const std::string_view other : fallbacks_of(formulations[0]->name(), model)) {
    formulations.push_back(std::move(make_bare_dynamics(other, model)).value());
  }
  return make_verified(model, std::move(formulations));
}

}  // namespace kinloop
