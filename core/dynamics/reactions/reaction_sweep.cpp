// The sweeps; what is known of the model alone is found once, in reaction_plan.cpp.
//
//   000                                        here
//   constraint force of a loop, phantom body   closing_wrench_: multipliers times directions that the joint blocks
//   (22), (64) with known accelerations        wrench_: what a joint hands to the body further in
#include "core/dynamics/reactions/reaction_sweep.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"

namespace kinloop {
namespace {

/// Below this share of the self-stresses around it a component is rounding.
constexpr double kTouchedBySelfStress = 1e-8;
/// Self-stresses are drawn of about 1 N: what is smaller than this has not been touched by any.
constexpr double kSmallestStress_N = 1e-3;
/// Share of what the bodies ask for that may be left over.
constexpr double kBalanced = 1e-6;

double norm(const Vec3& a) noexcept { return std::sqrt(dot(a, a)); }

/// Sum of the components' sizes: a norm without a root.
double size_of(const Vec3& a) noexcept { return std::abs(a.x()) + std::abs(a.y()) + std::abs(a.z()); }

void add_to(CarriedWrench& sum, const CarriedWrench& wrench, const Vec3& arm, double sign) noexcept {
  for (std::size_t side = 0; side < sum.size(); ++side) sum[side] = sum[side] + sign * shift_force(wrench[side], arm);
}

CarriedWrench moved(const CarriedWrench& wrench, const Vec3& arm, double sign) noexcept {
  CarriedWrench result;
  add_to(result, wrench, arm, sign);
  return result;
}

/// Writes the loads' part, and which components the self-stresses leave alone.
void write_reaction(const CarriedWrench& wrench, double stress_N, double stress_Nm, double length_m,
                    Reaction& out) noexcept {
  const double force_N = kTouchedBySelfStress * std::max(stress_N, kSmallestStress_N);
  const double moment_Nm = kTouchedBySelfStress * std::max(stress_Nm, kSmallestStress_N * length_m);
  out.wrench = wrench[0];
  for (int i = 0; i < 3; ++i) {
    const auto c = at(i);
    out.unique[c] = std::abs(wrench[1].linear[i]) <= force_N && std::abs(wrench[2].linear[i]) <= force_N &&
                    std::isfinite(wrench[0].linear[i]);
    out.unique[3 + c] = std::abs(wrench[1].angular[i]) <= moment_Nm && std::abs(wrench[2].angular[i]) <= moment_Nm &&
                        std::isfinite(wrench[0].angular[i]);
  }
}

}  // namespace

bool ReactionSweep::update(const Model& model, const Workspace& ws) noexcept {
  motion_.update(graph_, ws);
  rows_.update(ws);
  find_demands(model, ws);
  if (!closings_.empty() || !coupling_slots_.empty()) {
    eliminate(ws);
    if (!elimination_.is_complete() || !(elimination_.imbalance() <= kBalanced * demanded_Nm_)) {
      clear();
      return false;
    }
    find_closing_wrenches();
  }
  sum_wrenches();
  report(ws);
  return true;
}

/// M A - F of every body, and their size.
void ReactionSweep::find_demands(const Model& model, const Workspace& ws) noexcept {
  demanded_Nm_ = 0.0;
  wrench_[0] = CarriedWrench{};
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyLoad& load = ws.load[at(k)];
    const SpatialVector& A = ws.A[at(k)];
    const SpatialVector inertial{load.J * A.angular + cross(load.mc, A.linear),
                                 model.body(k).mass * A.linear + cross(A.angular, load.mc)};
    wrench_[k] = {inertial - SpatialVector{load.n, load.f}};
    demanded_Nm_ +=
        size_of(inertial.angular) + size_of(load.n) + model.length_m() * (size_of(inertial.linear) + size_of(load.f));
  }
  for (int i = 0; i < model.nv(); ++i) demanded_Nm_ += std::abs(ws.tau[i]);
}

double ReactionSweep::applied_force(const Workspace& ws, int slot) const noexcept {
  const int speed = graph_.slot_speed[slot];
  return speed < 0 ? 0.0 : ws.tau[speed] - ws.armature[speed] * ws.vdot[speed];
}

/// Makes pure numbers of equations, whatever the unit of the coordinate.
double ReactionSweep::slot_scale(int slot, double length_m) const noexcept {
  const SpatialVector& column = motion_.column[slot];
  const double size2 = dot(column.angular, column.angular) + dot(column.linear, column.linear) / (length_m * length_m);
  return size2 > 0.0 ? 1.0 / std::sqrt(size2) : 1.0;
}

/// Of size 1 in the length of the loop: its multiplier is a moment.
void ReactionSweep::find_directions() noexcept {
  for (int c = 0; c < closings_.count(); ++c) {
    const double length2 = closings_[c].length_m * closings_[c].length_m;
    int m = closings_[c].first;
    for (const SpatialVector& row : rows_.of(at(c))) {
      const double size2 = dot(row.angular, row.angular) + length2 * dot(row.linear, row.linear);
      direction_[m++] = (1.0 / std::sqrt(size2)) * row;
    }
  }
}

CarriedWrench ReactionSweep::known_wrench(const Workspace& ws, int c) const noexcept {
  CarriedWrench known;
  const GraphEdge& edge = graph_.edges[graph_.closings[c].edge];
  if (!rows_.keeps_coordinates(at(c))) {
    for (int s = edge.first_slot; s < edge.first_slot + edge.slots; ++s) {
      known[0] = known[0] + applied_force(ws, s) * motion_.column[s];
    }
  }
  const Mat3& R = ws.motion[at(rows_.pred(at(c)))].R;
  int draw = closings_[c].first_draw;
  for (const SpatialVector& unmoved : rows_.unmoved(at(c))) {
    const SpatialVector turned = rotated(R, unmoved);
    for (std::size_t side = 1; side < known.size(); ++side) known[side] = known[side] + draws_[draw][side] * turned;
    ++draw;
  }
  return known;
}

void ReactionSweep::find_coupling_units() noexcept {
  for (int i = 0; i < coupling_slots_.count(); ++i) {
    if (unit_slot_[i] < 0) continue;
    const int edge = graph_.slot_edge[unit_slot_[i]];
    coupling_unit_[i] = 1.0 / slot_scale(unit_slot_[i], length_m_[graph_.edges[edge].succ]);
    coupling_left_[i] = coupling_slots_[i];
  }
}

void ReactionSweep::eliminate(const Workspace& ws) noexcept {
  find_coupling_units();
  find_directions();
  for (int c = 0; c < closings_.count(); ++c) closing_wrench_[c] = known_wrench(ws, c);
  elimination_.start(rank_tolerance(ws));
  for (int b = 0; b < wrench_.count(); ++b) elimination_.carried(b) = wrench_[b];
  for (int i = graph_.order.count() - 1; i >= 0; --i) {  // leaves first: a joint carries all that lies beyond it
    const int b = graph_.order[i];
    for (const int c : bases_[b]) {
      for (int m = closings_[c].first; m < closings_[c].first + closings_[c].count; ++m) {
        elimination_.conclude(m);
      }
    }
    for (const int c : tips_[b]) add_closing(ws, c);
    const GraphEdge& edge = graph_.edges[graph_.bodies[b].edge];
    for (int s = edge.first_slot; s < edge.first_slot + edge.slots; ++s) {
      const double scale = slot_scale(s, length_m_[b]);
      for (const CoupledSlot& coupled : coupled_[s]) meet_coupling(coupled);
      elimination_.begin_row();
      elimination_.add_work(b, motion_.column[s], scale);
      end_equation(ws, s, scale);
    }
    elimination_.hand_over(b, graph_.bodies[b].parent, motion_.r[b]);
  }
  elimination_.solve();
}

void ReactionSweep::meet_coupling(const CoupledSlot& coupled) noexcept {
  const int m = multiplier_of(coupled.coupling);
  if (coupling_left_[coupled.coupling] == coupling_slots_[coupled.coupling] && !elimination_.is_live(m)) {
    elimination_.add(m, MultiplierElimination::Role::kWaiting);
  }
}

void ReactionSweep::leave_coupling(const CoupledSlot& coupled) noexcept {
  if (--coupling_left_[coupled.coupling] == 0) elimination_.allow(multiplier_of(coupled.coupling));
}

void ReactionSweep::end_equation(const Workspace& ws, int slot, double scale) noexcept {
  elimination_.add_constant(0, scale * applied_force(ws, slot));
  for (const CoupledSlot& coupled : coupled_[slot]) {
    elimination_.add_entry(multiplier_of(coupled.coupling), -scale * coupled.factor * coupling_unit_[coupled.coupling]);
    leave_coupling(coupled);
  }
  elimination_.end_row();
}

/// Tip and base feel its multipliers; the base of a loop on the ground does not move, and nobody asks what it carries.
void ReactionSweep::add_closing(const Workspace& ws, int c) noexcept {
  const GraphClosing& closing = graph_.closings[c];
  const GraphEdge& edge = graph_.edges[closing.edge];
  const bool has_base = closing.base != MultiplierElimination::kGround;
  const Vec3& tip_arm = motion_.tip_arm[c];
  const Vec3& base_arm = motion_.base_arm[c];
  const auto act = [&](int multiplier, const SpatialVector& wrench) {
    elimination_.act(closing.tip, multiplier, -shift_force(wrench, tip_arm));
    if (has_base) elimination_.act(closing.base, multiplier, shift_force(wrench, base_arm));
  };
  const CarriedWrench& known = closing_wrench_[c];
  add_to(elimination_.carried(closing.tip), known, tip_arm, -1.0);
  if (has_base) add_to(elimination_.carried(closing.base), known, base_arm, 1.0);
  using Role = MultiplierElimination::Role;
  const bool has_equations = rows_.keeps_coordinates(at(c)) && edge.slots > 0;
  const int first = closings_[c].first;
  for (int i = 0; i < closings_[c].count; ++i) {
    elimination_.add(first + i, has_equations ? Role::kWaiting : Role::kPivot);
    act(first + i, direction_[first + i]);
  }
  for (int s = edge.first_slot; s < edge.first_slot + edge.slots; ++s) {
    for (const CoupledSlot& coupled : coupled_[s]) {
      meet_coupling(coupled);
      if (rows_.keeps_coordinates(at(c))) continue;
      act(multiplier_of(coupled.coupling), (coupled.factor * coupling_unit_[coupled.coupling]) * motion_.column[s]);
      leave_coupling(coupled);
    }
  }
  if (!has_equations) return;
  for (int s = edge.first_slot; s < edge.first_slot + edge.slots; ++s) {
    const bool is_last = s + 1 == edge.first_slot + edge.slots;
    const double scale = slot_scale(s, closings_[c].length_m);
    elimination_.begin_row();
    for (int i = 0; i < closings_[c].count; ++i) {
      elimination_.add_entry(first + i, scale * dot(motion_.column[s], direction_[first + i]));
      if (is_last) elimination_.allow(first + i);
    }
    end_equation(ws, s, scale);
  }
}

void ReactionSweep::find_closing_wrenches() noexcept {
  for (int c = 0; c < closings_.count(); ++c) {
    CarriedWrench& sum = closing_wrench_[c];
    const int first = closings_[c].first;
    const auto add = [&](const RightSides& value, const SpatialVector& wrench) {
      for (std::size_t side = 0; side < sum.size(); ++side) sum[side] = sum[side] + value[side] * wrench;
    };
    for (int i = 0; i < closings_[c].count; ++i) {
      add(elimination_.value(first + i), direction_[first + i]);
    }
    const GraphEdge& edge = graph_.edges[graph_.closings[c].edge];
    for (int s = edge.first_slot; s < edge.first_slot + edge.slots && !rows_.keeps_coordinates(at(c)); ++s) {
      for (const CoupledSlot& coupled : coupled_[s]) {
        add(elimination_.value(multiplier_of(coupled.coupling)),
            (coupled.factor * coupling_unit_[coupled.coupling]) * motion_.column[s]);
      }
    }
    closing_stress_N_[c] = 0.0;
    for (std::size_t side = 1; side < sum.size(); ++side) {
      closing_stress_N_[c] =
          std::max({closing_stress_N_[c], norm(sum[side].linear), norm(sum[side].angular) / closings_[c].length_m});
    }
  }
}

void ReactionSweep::sum_wrenches() noexcept {
  std::fill(stress_N_.begin(), stress_N_.end(), 0.0);
  std::fill(stress_Nm_.begin(), stress_Nm_.end(), 0.0);
  for (int c = 0; c < closings_.count(); ++c) {
    const GraphClosing& closing = graph_.closings[c];
    const double stress_N = closing_stress_N_[c];
    const double stress_Nm = stress_N * closings_[c].length_m;
    add_to(wrench_[closing.tip], closing_wrench_[c], motion_.tip_arm[c], -1.0);
    add_to(wrench_[closing.base], closing_wrench_[c], motion_.base_arm[c], 1.0);
    stress_N_[closing.tip] += stress_N;
    stress_N_[closing.base] -= stress_N;
    stress_Nm_[closing.tip] += stress_Nm;
    stress_Nm_[closing.base] -= stress_Nm;
  }
  for (int i = graph_.order.count() - 1; i >= 0; --i) {
    const int b = graph_.order[i];
    const int parent = graph_.bodies[b].parent;
    add_to(wrench_[parent], wrench_[b], motion_.r[b], 1.0);
    stress_N_[parent] += stress_N_[b];
    stress_Nm_[parent] += stress_Nm_[b];
  }
}

/// From the depth-first tree to the joints of the file: on the successor, at the origin of B.
void ReactionSweep::report(const Workspace& ws) noexcept {
  for (const int b : graph_.order) {
    const GraphBody& body = graph_.bodies[b];
    const GraphEdge& edge = graph_.edges[body.edge];
    const bool forward = body.sign > 0.0;
    Reaction& out = edge.joint >= 0 ? joints_[edge.joint] : loops_[edge.loop];
    Vec3 arm;  // from the origin of B to x_b
    if (edge.joint >= 0) {
      if (!forward) arm = motion_.r[b];
    } else {
      const LoopConstraint& constraint = ws.loop_constraint[at(edge.loop)];
      arm = forward ? -constraint.arm_succ : -constraint.arm_pred;
    }
    write_reaction(moved(wrench_[b], arm, body.sign), open_[b] > 0 ? stress_N_[b] : 0.0,
                   open_[b] > 0 ? stress_Nm_[b] : 0.0, length_m_[b], out);
  }
  for (int c = 0; c < closings_.count(); ++c) {
    const GraphClosing& closing = graph_.closings[c];
    const GraphEdge& edge = graph_.edges[closing.edge];
    const double stress_N = closing_stress_N_[c];
    const double length_m = closings_[c].length_m;
    write_reaction(moved(closing_wrench_[c], Vec3(), closing.sign), stress_N, stress_N * length_m, length_m,
                   edge.joint >= 0 ? joints_[edge.joint] : loops_[edge.loop]);
  }
}

void ReactionSweep::clear() noexcept {
  for (IndexedVector<Reaction>* all : {&joints_, &loops_}) {
    for (Reaction& reaction : *all) reaction = {{}, {false, false, false, false, false, false}};
  }
}

}  // namespace kinloop
