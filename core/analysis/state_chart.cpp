// Reads and places states; the basis is asked of `partition` itself.
#include "core/analysis/state_chart.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/at.hpp"
#include "core/constraints/constraints.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "core/math/complete_pivot_solve.hpp"
#include "core/model/free_speeds.hpp"
#include "core/plant/coordinate_names.hpp"

namespace kinloop {
namespace {

/// Of the joint of a speed: "q.slider", "q.floating.2", "turn.ball.x".
std::string coordinate_name(const Model& model, int speed) {
  const CoordinateConstants& coordinate = model.coordinate(speed);
  const BodyConstants& body = model.body(coordinate.body);
  const std::string& joint = model.joint_name(coordinate.body);
  if (coordinate.q < 0) {
    const int axis = speed - (body.v + body.nv - 3);
    return "turn." + joint + "." + "xyz"[axis];
  }
  return body.nv == 1 ? "q." + joint : "q." + joint + "." + std::to_string(coordinate.q - body.q);
}

Error singular() { return {"linearize", "singular position: the loops lose rank here, so x has no fixed size"}; }

/// Marks what the caller names.
Result<std::vector<char>> named_speeds(const Model& model, const std::vector<std::string>& names) {
  std::vector<char> independent(at(model.nv()), 0);
  for (const std::string& name : names) {
    const Result<int> speed = find_speed(model, name.starts_with("q.") ? name.substr(2) : name);
    if (!speed) return Error{"independent", speed.error().what, speed.error().kind};
    if (model.coordinate(*speed).motion >= 0) return Error{"independent", "'" + name + "' is driven"};
    char& mark = independent[at(*speed)];
    if (mark != 0) return Error{"independent", "'" + name + "' is named twice"};
    mark = 1;
  }
  return independent;
}

/// Whether the loops determine all others from these speeds; says which are not.
std::optional<Error> undetermined(const Model& model, const State& state, const std::vector<char>& independent,
                                  std::size_t wanted) {
  const auto given = at(std::count(independent.begin(), independent.end(), 1));
  if (given != wanted) {
    return Error{"independent", "the mechanism has " + std::to_string(wanted) + " degrees of freedom here, not " +
                                    std::to_string(given)};
  }
  if (!model.has_loops()) return std::nullopt;
  constexpr double kLeastShare = 1e-6;
  Workspace ws(model);
  update_kinematics(model, state, ws);
  update_loop_constraints(model, state, ws);
  MatrixX C(constraint_rows(model), model.nv());
  constraint_matrix(model, ws, C);
  const std::vector<int> speeds = free_speeds(model);
  CompletePivotSolve solve(constraint_rows(model), static_cast<int>(speeds.size()));
  solve.clear();
  for (std::size_t j = 0; j < speeds.size(); ++j) {
    const int column = static_cast<int>(j);
    solve.set_size(column, speed_size(ws, speeds[j], model.length_m()));
    if (independent[at(speeds[j])] != 0) solve.set_role(column, UnknownRole::kIndependent);
    for (int r = 0; r < C.rows(); ++r) solve.row(r)[j] = C(r, speeds[j]);
  }
  solve.solve(kLeastShare);
  std::string open;
  for (int i = 0; i < solve.independents(); ++i) {
    const int speed = speeds[at(solve.independent(i))];
    if (independent[at(speed)] == 0) open += (open.empty() ? "'" : ", '") + model.speed_name(speed) + "'";
  }
  if (open.empty()) return std::nullopt;
  return Error{"independent", "singular: these do not determine " + open + " here"};
}

}  // namespace

Result<StateChart> StateChart::make(const Plant& plant, const State& around, const std::vector<std::string>& names) {
  const Model& model = plant.model();
  State state = around;
  Workspace ws(model);
  const auto partition = make_dynamics("partition", model);
  if (!partition) return partition.error();
  (*partition)->read_basis(state);  // one that is in use stays while it is a fair one, as names should
  const StepStatus status = accelerations(model, state, Loads(model), **partition, ws);
  if (status != StepStatus::kOk) return Error{"linearize", std::string(describe(status))};
  (*partition)->write_basis(state);
  std::vector<char> independent(at(model.nv()), 0);
  for (int i = 0; i < model.nv(); ++i) {
    const bool is_driven = model.coordinate(i).motion >= 0;
    independent[at(i)] = !is_driven && state.independent()[i] > 0.0 ? 1 : 0;
  }
  if (!names.empty()) {
    Result<std::vector<char>> named = named_speeds(model, names);
    if (!named) return named.error();
    const auto wanted = at(std::count(independent.begin(), independent.end(), 1));
    if (std::optional<Error> flaw = undetermined(model, around, *named, wanted)) return *flaw;
    independent = std::move(named).value();
  }
  StateChart chart(plant, around, independent);
  chart.rank_ = chart.closing_.rank_at(chart.q0_);
  const int generic = model.generic_rank().all;
  if (generic >= 0 && chart.rank_ < generic) return singular();
  const auto driven = static_cast<int>(model.driven_speeds().size());
  if (chart.rank_ + static_cast<int>(chart.independents_.size()) + driven != model.nv()) return singular();
  return chart;
}

StateChart::StateChart(const Plant& plant, const State& around, const std::vector<char>& independent)
    : plant_(plant), q0_(around.q()), closing_(plant.model(), independent) {
  const Model& model = plant.model();
  for (int i = 0; i < model.nv(); ++i) {
    if (independent[at(i)] != 0) independents_.push_back(i);
  }
  for (const int i : independents_) names_.push_back(coordinate_name(model, i));
  for (const int i : independents_) names_.push_back("u." + model.speed_name(i));
  for (const DeviceStateEntry& entry : plant.device_state_entries(around)) names_.push_back(entry.name);
}

VectorX StateChart::read(const State& state) const {
  const Model& model = plant_.model();
  VectorX increment = VectorX::Zero(model.nv());
  configuration_difference(model, q0_.data(), state.q().data(), increment.data());
  VectorX x(size());
  Eigen::Index n = 0;
  for (const int i : independents_) {
    const int q = model.coordinate(i).q;
    x[n++] = q >= 0 ? state.q()[q] : increment[i];
  }
  for (const int i : independents_) x[n++] = state.v()[i];
  for (const DeviceStateEntry& entry : plant_.device_state_entries(state)) x[n++] = state.device_state()[entry.at];
  return x;
}

Result<State> StateChart::place(const State& like, const VectorX& x) {
  State state = like;
  const VectorX present = read(like);
  const Eigen::Index mechanism = 2 * dofs();
  Eigen::Index n = mechanism;
  for (const DeviceStateEntry& entry : plant_.device_state_entries(like)) {
    const double change = x[n] - present[n];
    state.device_state()[entry.at] = x[n++];
    if (entry.force_at >= 0) state.device_state()[entry.force_at] += entry.force_per_unit * change;
  }
  if (x.head(mechanism) == present.head(mechanism)) return state;
  if (!place_mechanism(x, state)) return Error{"linearize", "the loops cannot be closed beside this state"};
  const VectorX q = state.q();
  if (plant_.model().has_loops() && closing_.rank_at(q) != rank_) return singular();
  return state;
}

bool StateChart::place_mechanism(const VectorX& x, State& state) {
  const Model& model = plant_.model();
  VectorX increment = VectorX::Zero(model.nv());
  configuration_difference(model, q0_.data(), state.q().data(), increment.data());
  VectorX v = state.v();
  for (std::size_t j = 0; j < independents_.size(); ++j) {
    const int i = independents_[j];
    const auto n = static_cast<Eigen::Index>(j);
    const int q = model.coordinate(i).q;
    increment[i] = q >= 0 ? x[n] - q0_[q] : x[n];
    v[i] = x[dofs() + n];
  }
  VectorX q = q0_;
  if (!closing_.close_positions(q0_, increment, q)) return false;
  if (!closing_.close_speeds(q, v)) return false;
  state.q() = q;
  state.v() = v;
  state.set_history_count(0);
  return true;
}

VectorX StateChart::sizes(const State& state) const {
  const Model& model = plant_.model();
  Workspace ws(model);
  update_kinematics(model, state, ws);
  VectorX result(size());
  Eigen::Index n = 0;
  double fastest_per_s = 1.0;
  for (const int i : independents_) {
    result[n] = 1.0 / speed_size(ws, i, model.length_m());
    fastest_per_s = std::max(fastest_per_s, std::abs(state.v()[i]) / result[n++]);
  }
  for (Eigen::Index i = 0; i < dofs(); ++i) result[n++] = fastest_per_s * result[i];
  for (const DeviceStateEntry& entry : plant_.device_state_entries(state)) {
    const double least = entry.size > 0.0 ? entry.size : 1.0;
    result[n++] = std::max(least, std::abs(state.device_state()[entry.at]));
  }
  return result;
}

}  // namespace kinloop
