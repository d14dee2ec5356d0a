// Walks around the loops, and chooses the rows that stand out of each other at the start.
#include "core/batch/loop_plan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/constraints/constraints.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/constraints/row_measure.hpp"
#include "core/dynamics/loop_cost.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop::batch {
namespace {

constexpr int kMaxRows = 64;     // dense among each other
constexpr int kMaxSpeeds = 128;  // whose inertia is kept as one matrix

/// The joints outward of `end`, from `body` on.
IndexedVector<PlannedStep> way(const Model& model, const DofTree& tree, int body, int end) {
  IndexedVector<PlannedStep> steps;
  for (; body != end; body = model.body(body).parent) {
    PlannedStep step{body, 0, 0};
    for (int node = 0; node < tree.size(); ++node) {
      if (tree.body[node] != body) continue;
      if (step.nodes++ == 0) step.first_node = node;
    }
    steps.push_back(step);
  }
  return steps;
}

int meeting(const Model& model, int a, int b) {
  while (a != b) (a > b ? a : b) = model.body(a > b ? a : b).parent;
  return a;
}

/// These nodes and all inboard of them, falling.
IndexedVector<int> with_inboard(const DofTree& tree, IndexedVector<int> nodes) {
  for (int i = 0; i < nodes.count(); ++i) {
    const int inboard = tree.parent[nodes[i]];
    if (inboard >= 0) nodes.push_back(inboard);
  }
  std::sort(nodes.begin(), nodes.end(), std::greater<>());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// The rows of the dense system that stand out of each other most, as many as are independent nearly everywhere; fewer
/// where the start has no more.
IndexedVector<char> independent_rows(const Model& model, int wanted) {
  Workspace ws(model);
  const VectorX at_rest = VectorX::Zero(model.nv());
  update_kinematics(model, model.initial_q().data(), at_rest.data(), 0.0, ws);
  update_loop_constraints(model, model.initial_q().data(), at_rest.data(), 0.0, ws);
  MatrixX C(constraint_rows(model), model.nv());
  constraint_matrix(model, ws, C);
  const RowMeasure measure(model);
  for (int i = 0; i < model.nv(); ++i) {
    C.col(i) *= model.coordinate(i).motion >= 0 ? 0.0 : 1.0 / speed_size(ws, i, model.length_m());
  }
  for (Eigen::Index r = 0; r < C.rows(); ++r) C.row(r) *= measure.scale[r];
  constexpr double kStandsOut = 1e-6;
  IndexedVector<char> chosen(C.rows(), 0);
  for (int i = 0; i < wanted; ++i) {
    Eigen::Index best = 0;
    const double size = C.rowwise().norm().maxCoeff(&best);
    if (!(size > kStandsOut)) break;
    chosen[best] = 1;
    const Eigen::RowVectorXd direction = C.row(best) / size;
    const VectorX share = C * direction.transpose();
    C -= share * direction;
  }
  return chosen;
}

}  // namespace

LoopPlan::LoopPlan(const Model& model) : tree(model) {
  for (int node = 0; node < tree.size(); ++node) {
    IndexedVector<int>& all = inboard.emplace_back();
    for (int i = tree.parent[node]; i >= 0; i = tree.parent[i]) all.push_back(i);
  }
}

Result<LoopPlan> LoopPlan::make(const Model& model) {
  LoopPlan plan(model);
  if (!model.has_loops()) return plan;
  for (const LoopJoint& loop : model.loops()) {
    const bool is_plain = loop.constant && loop.drives.empty() && loop.rotation != JointRotation::kTwoAxes;
    if (!is_plain) return Error{loop.name, "closes a loop with directions that change, or is driven"};
  }
  if (plan.tree.size() > kMaxSpeeds) {
    return Error{"", "more than " + std::to_string(kMaxSpeeds) + " speeds beside closed loops"};
  }
  const int wanted = model.generic_rank().all;
  if (wanted < 0) return Error{"", "how many constraints are independent is not known"};
  if (wanted > kMaxRows) return Error{"", "more than " + std::to_string(kMaxRows) + " independent constraints"};
  const IndexedVector<char> chosen = independent_rows(model, wanted);
  if (std::count(chosen.begin(), chosen.end(), 1) != wanted) return Error{"", "starts in a singular position"};

  int next = 0;
  IndexedVector<IndexedVector<int>> supports;
  const auto take_row = [&](int group) {
    if (chosen[next++] == 0) return -1;
    plan.group.push_back(group);
    plan.rows_of[group].push_back(plan.rows);
    return plan.rows++;
  };
  plan.rows_of.resize(model.loops().size() + model.couplings().size());
  for (int i = 0; i < std::ssize(model.loops()); ++i) {
    const LoopJoint& loop = model.loops()[i];
    PlannedLoop planned;
    planned.index = i;
    for (int r = 0; r < loop.directions->rows; ++r) {
      const SpatialVector& G = loop.directions->G[r];
      PlannedRow row{G.angular, G.linear, dot(G.angular, G.angular) > 0.0, -1};
      row.row = take_row(i);
      planned.rows.push_back(row);
    }
    const int meets = meeting(model, loop.successor, loop.predecessor);
    planned.from_succ = way(model, plan.tree, loop.successor, meets);
    planned.from_pred = way(model, plan.tree, loop.predecessor, meets);
    IndexedVector<int> nodes;
    for (const auto* steps : {&planned.from_succ, &planned.from_pred}) {
      for (const PlannedStep& step : *steps) {
        for (int n = 0; n < step.nodes; ++n) nodes.push_back(step.first_node + n);
      }
    }
    planned.support = with_inboard(plan.tree, nodes);
    supports.push_back(planned.support);
    plan.loops.push_back(std::move(planned));
  }
  const auto node_of = [&](int speed) {
    const auto found = std::find(plan.tree.speed.begin(), plan.tree.speed.end(), speed);
    return found == plan.tree.speed.end() ? -1 : static_cast<int>(found - plan.tree.speed.begin());
  };
  for (int i = 0; i < std::ssize(model.couplings()); ++i) {
    const Coupling& coupling = model.couplings()[i];
    PlannedCoupling planned{i, -1, node_of(coupling.v_dependent), node_of(coupling.v_of), {}};
    planned.row = take_row(plan.loops.count() + i);
    IndexedVector<int> nodes;
    for (const int node : {planned.dependent, planned.of}) {
      if (node >= 0) nodes.push_back(node);
    }
    planned.support = with_inboard(plan.tree, nodes);
    supports.push_back(planned.support);
    plan.couplings.push_back(std::move(planned));
  }
  for (int a = 0; a < supports.count(); ++a) {
    for (int b = 0; b <= a; ++b) {
      IndexedVector<int>& shared = plan.common.emplace_back();
      std::set_intersection(supports[a].begin(), supports[a].end(), supports[b].begin(), supports[b].end(),
                            std::back_inserter(shared), std::greater<>());
    }
  }
  return plan;
}

}  // namespace kinloop::batch
