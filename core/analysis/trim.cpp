// Newton's method on the step: shortest corrections, each shortened until it helps.
#include "core/analysis/trim.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/exact_linearization.hpp"
#include "core/analysis/state_chart.hpp"
#include "core/base/at.hpp"
#include "core/base/name_table.hpp"
#include "core/base/short_number.hpp"
#include "core/base/stepping_mode.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/math/least_squares.hpp"
#include "core/plant/coordinate_names.hpp"

namespace kinloop {
namespace {

constexpr double kReached = 1e-8;  // of a size, per second
constexpr double kSteady = 1e-6;   // of a size, per second squared
constexpr double kSmallestSingular = 1e-11;
constexpr int kMaxHalvings = 24;
constexpr int kBalancingRounds = 5;
constexpr double kBesideOverlap = 2e-3;  // of a valve's travel

class Trimmer {
 public:
  Trimmer(Plant& plant, State start, const StepInput& input, const TrimSettings& settings)
      : plant_(plant), derivatives_(plant), settings_(settings), state_(std::move(start)), input_(input) {}

  Result<Trim> run() {
    for (const auto part : {&Trimmer::take_commands, &Trimmer::take_coordinates}) {
      if (const Result<bool> done = (this->*part)(); !done) return done.error();
    }
    pass_commands_on();
    const State start = state_;
    const StepInput input = input_;
    const Result<Trim> first = solve();
    if (!first || first->is_reached || !leave_dead_zones(start, input)) return first;
    const Result<Trim> second = solve();
    const bool is_better = second && second->residual < first->residual;
    if (!is_better) return first;
    return Trim{second->state,      second->input,    first->iterations + second->iterations,
                second->is_reached, second->residual, second->missing};
  }

 private:
  /// From the present state and input; leaves them wherever it came to.
  Result<Trim> solve() {
    Result<Linearization> l = at_present();
    if (!l) return l.error();
    take_sizes(*l);
    VectorX residual = residual_of(*l);
    const auto worst = [&] { return residual.size() > 0 ? residual.lpNorm<Eigen::Infinity>() : 0.0; };
    int i = 0;
    for (; i < settings_.max_iterations && worst() > kReached; ++i) {
      if (settings_.pulse != nullptr) settings_.pulse->fetch_add(1, std::memory_order_relaxed);
      if (settings_.cancelled != nullptr && settings_.cancelled->load(std::memory_order_relaxed)) break;
      const State before = state_;
      const StepInput input_before = input_;
      const Correction correction = correction_of(*l);
      const VectorX change = correction.of(residual);
      bool helps = false;
      double share = 1.0;
      for (int h = 0; h < kMaxHalvings && !helps; ++h, share *= 0.5) {
        state_ = before;
        input_ = input_before;
        if (!move(*l, share * correction.in_state_and_input(change))) continue;
        Result<Linearization> next = at_present();
        if (!next) continue;
        const VectorX left = residual_of(*next);
        // What this Newton step would still have to correct: it counts the same however rows and columns are scaled.
        if (!(correction.of(left).norm() < (1.0 - 0.25 * share) * change.norm())) continue;
        helps = true;
        l = std::move(next);
        take_sizes(*l);
        residual = residual_of(*l);
      }
      if (helps) continue;
      state_ = before;
      input_ = input_before;
      break;
    }
    Trim result{state_, input_, i, worst() <= kReached, worst(), {}};
    if (!result.is_reached) {
      result.missing = explain(*l);
    } else {
      result.missing = passing(*l);
      result.is_reached = result.missing.empty();
    }
    return result;
  }

  Eigen::Index dofs() const { return static_cast<Eigen::Index>(independent_.size()); }

  Result<bool> take_commands() {
    is_free_command_.assign(plant_.actuator_count(), 1);
    for (const auto& [name, value] : settings_.commands) {
      std::vector<std::string_view> known;
      bool found = false;
      for (std::size_t i = 0; i < plant_.actuator_count(); ++i) {
        known.push_back(plant_.spec().actuators[i].name);
        if (known.back() != name) continue;
        found = true;
        is_free_command_[i] = 0;
        input_.command[i] = value;
      }
      if (!found) return no_such("actuator", name, known);
      if (!std::isfinite(value)) return Error{"commands", name + " must be finite"};
    }
    return true;
  }

  /// Puts coordinates and speeds where they are given, loops closed; names come first among the independents.
  Result<bool> take_coordinates() {
    const Model& model = plant_.model();
    std::vector<std::string> named;
    const auto take = [&](const std::string& name, double value) -> Result<int> {
      const Result<int> speed = find_speed(model, name);
      if (!speed) return speed;
      if (!std::isfinite(value)) return Error{"trim", name + " must be finite"};
      if (std::find(named.begin(), named.end(), name) == named.end()) named.push_back(name);
      return *speed;
    };
    for (const auto& [name, value] : settings_.coordinates) {
      const Result<int> speed = take(name, value);
      if (!speed) return speed.error();
      if (model.coordinate(*speed).q < 0) return Error{"trim", name + " is no scalar coordinate"};
    }
    for (const auto& [name, value] : settings_.speeds) {
      if (const Result<int> speed = take(name, value); !speed) return speed.error();
    }
    Result<StateChart> chosen = StateChart::make(plant_, state_);
    if (!chosen) return chosen.error();
    if (chosen->dofs() == 0) return Error{"trim", "the mechanism has no degrees of freedom"};
    if (static_cast<Eigen::Index>(named.size()) > chosen->dofs()) {
      return Error{"trim",
                   "the mechanism has " + std::to_string(chosen->dofs()) + " degrees of freedom, fewer than are given"};
    }
    // Those that are named, filled up with those that were chosen, as far as they go together.
    for (const int i : chosen->independents()) {
      if (static_cast<Eigen::Index>(named.size()) == chosen->dofs()) break;
      const std::string name = model.speed_name(i);
      if (std::find(named.begin(), named.end(), name) == named.end()) named.push_back(name);
    }
    independent_ = named;
    Result<StateChart> chart = StateChart::make(plant_, state_, independent_);
    if (!chart) return chart.error();
    VectorX x = chart->read(state_);
    is_held_.assign(at(dofs()), settings_.holds_coordinates ? 1 : 0);
    for (Eigen::Index j = 0; j < dofs(); ++j) {
      x[dofs() + j] = 0.0;
      const std::string name = model.speed_name(chart->independents()[at(j)]);
      for (const auto& [given, value] : settings_.coordinates) {
        if (given != name) continue;
        x[j] = value;
        is_held_[at(j)] = 1;
      }
      for (const auto& [given, value] : settings_.speeds) {
        if (given == name) x[dofs() + j] = value;
      }
    }
    const Result<State> placed = chart->place(state_, x);
    if (!placed) return Error{"trim", "the loops cannot be closed at these coordinates"};
    state_ = *placed;
    return true;
  }

  Result<Linearization> at_present() {
    return linearize(plant_, state_, input_, {LinearizeMethod::kExact, independent_}, &derivatives_);
  }

  /// How much speeds and memory change in a second, against the sizes that were taken.
  VectorX residual_of(const Linearization& l) const {
    const Eigen::Index rows = l.x.size() - dofs();
    return (l.x_next - l.x).tail(rows).cwiseQuotient(sizes_.segment(dofs(), rows)) / l.dt_s;
  }

  /// Columns that are sought: coordinates, memory, commands.
  std::vector<Eigen::Index> sought(const Linearization& l) const {
    std::vector<Eigen::Index> columns;
    for (Eigen::Index j = 0; j < dofs(); ++j) {
      if (is_held_[at(j)] == 0) columns.push_back(j);
    }
    for (Eigen::Index j = 2 * dofs(); j < l.x.size(); ++j) columns.push_back(j);
    for (std::size_t j = 0; j < is_free_command_.size(); ++j) {
      if (is_free_command_[j] != 0) columns.push_back(l.x.size() + static_cast<Eigen::Index>(j));
    }
    return columns;
  }

  /// Of the entries of x and u at the present state: while a correction is tried they stay.
  void take_sizes(const Linearization& l) {
    const Result<StateChart> chart = StateChart::make(plant_, state_, independent_);
    sizes_ = VectorX::Ones(l.x.size() + l.u.size());
    if (chart) sizes_.head(l.x.size()) = chart->sizes(state_);
    for (Eigen::Index j = 0; j < l.u.size(); ++j) {
      const CommandChainSettings& chain = plant_.spec().actuators[at(j)].chain;
      const double range = chain.upper - chain.lower;
      sizes_[l.x.size() + j] = std::isfinite(range) ? range : std::max(1.0, std::abs(l.u[j]));
    }
  }

  /// Rows of residual_of() by the sought columns, in their sizes.
  MatrixX slopes(const Linearization& l) const {
    const VectorX& sizes = sizes_;
    const std::vector<Eigen::Index> columns = sought(l);
    const Eigen::Index rows = l.x.size() - dofs();
    MatrixX J(rows, static_cast<Eigen::Index>(columns.size()));
    for (Eigen::Index c = 0; c < J.cols(); ++c) {
      const Eigen::Index j = columns[at(c)];
      VectorX column = j < l.x.size() ? VectorX(l.A.col(j)) : VectorX(l.B.col(j - l.x.size()));
      if (j < l.x.size()) column[j] -= 1.0;
      J.col(c) = column.tail(rows).cwiseQuotient(sizes.segment(dofs(), rows)) * sizes[j] / l.dt_s;
    }
    return J;
  }

  /// Newton's correction with slopes whose rows and columns are all of about one size.
  struct Correction {
    MatrixX balanced;
    VectorX rows, columns;
    std::vector<Eigen::Index> sought;
    VectorX sizes;

    /// In balanced columns.
    VectorX of(const VectorX& residual) const {
      if (columns.size() == 0) return VectorX::Zero(0);
      return shortest_solution(balanced, VectorX(-rows.cwiseProduct(residual)), kSmallestSingular);
    }
    /// Of x and u, all entries.
    VectorX in_state_and_input(const VectorX& balanced_change) const {
      VectorX full = VectorX::Zero(sizes.size());
      for (std::size_t c = 0; c < sought.size(); ++c) {
        const auto i = static_cast<Eigen::Index>(c);
        full[sought[c]] = balanced_change[i] * columns[i] * sizes[sought[c]];
      }
      return full;
    }
  };

  Correction correction_of(const Linearization& l) const {
    Correction result;
    result.balanced = slopes(l);
    result.sought = sought(l);
    result.sizes = sizes_;
    MatrixX& J = result.balanced;
    result.rows = VectorX::Ones(J.rows());
    result.columns = VectorX::Ones(J.cols());
    for (int round = 0; round < kBalancingRounds; ++round) {
      for (Eigen::Index r = 0; r < J.rows(); ++r) {
        const double largest = J.cols() > 0 ? J.row(r).lpNorm<Eigen::Infinity>() : 0.0;
        if (!(largest > 0.0)) continue;
        J.row(r) /= std::sqrt(largest);
        result.rows[r] /= std::sqrt(largest);
      }
      for (Eigen::Index c = 0; c < J.cols(); ++c) {
        const double largest = J.rows() > 0 ? J.col(c).lpNorm<Eigen::Infinity>() : 0.0;
        if (!(largest > 0.0)) continue;
        J.col(c) /= std::sqrt(largest);
        result.columns[c] /= std::sqrt(largest);
      }
    }
    return result;
  }

  /// Rate limits, lags and delays behind the commands as they are: what is steady has passed them.
  void pass_commands_on() {
    for (const DeviceStateEntry& entry : plant_.device_state_entries(state_)) {
      const bool is_command =
          entry.name.starts_with("rate.") || entry.name.starts_with("lag.") || entry.name.starts_with("delay.");
      if (!is_command) continue;
      const double command = input_.command[at(entry.actuator)];
      state_.device_state()[entry.at] = command;
      if (entry.force_at >= 0) state_.device_state()[entry.force_at] = entry.force_per_unit * command;
    }
  }

  /// Valves that are shut within their overlap answer no command: those of cylinders are put on its edge, to the side
  /// that feeds the chamber with the greater pressure, which its piston's leakage empties. False: there are none.
  bool leave_dead_zones(const State& start, const StepInput& input) {
    state_ = start;
    input_ = input;
    bool left = false;
    const std::vector<DeviceStateEntry> entries = plant_.device_state_entries(start);
    for (std::size_t i = 0; i < plant_.actuator_count(); ++i) {
      const ActuatorSpec& spec = plant_.spec().actuators[i];
      const double overlap = spec.cylinder.overlap;
      const bool is_shut = overlap > 0.0 && std::abs(input.command[i]) <= overlap;
      if (!is_shut || is_free_command_[i] == 0) continue;
      double drop = 0.0;
      for (const DeviceStateEntry& entry : entries) {
        if (entry.name == "pressure_a." + spec.name) drop += start.device_state()[entry.at];
        if (entry.name == "pressure_b." + spec.name) drop -= start.device_state()[entry.at];
      }
      const double opening = std::copysign(overlap + kBesideOverlap, drop);
      input_.command[i] = std::clamp(opening, spec.chain.lower, spec.chain.upper);
      left = true;
    }
    pass_commands_on();
    return left;
  }

  bool move(const Linearization& l, const VectorX& change) {
    Result<StateChart> chart = StateChart::make(plant_, state_, independent_);
    if (!chart || !change.allFinite()) return false;
    const Result<State> placed = chart->place(state_, l.x + change.head(l.x.size()));
    if (!placed) return false;
    state_ = *placed;
    for (Eigen::Index j = 0; j < l.u.size(); ++j) {
      const CommandChainSettings& chain = plant_.spec().actuators[at(j)].chain;
      double& command = input_.command[at(j)];
      command = std::clamp(command + change[l.x.size() + j], chain.lower, chain.upper);
    }
    pass_commands_on();
    return true;
  }

  std::vector<std::string> explain(const Linearization& l) const {
    constexpr double kMoves = 1e-9;
    std::vector<std::string> missing;
    const VectorX residual = residual_of(l);
    const MatrixX J = slopes(l);
    for (Eigen::Index r = 0; r < residual.size(); ++r) {
      if (!(std::abs(residual[r]) > kReached)) continue;
      const bool is_moved = J.cols() > 0 && J.row(r).cwiseAbs().maxCoeff() > kMoves;
      missing.push_back(l.states[at(dofs() + r)] + " still changes by " + with_two_digits(residual[r]) +
                        " of its size a second" + (is_moved ? "" : "; nothing that is sought moves it"));
    }
    return missing;
  }

  /// What balances here and no longer where the given speeds lead: it holds for an instant.
  std::vector<std::string> passing(const Linearization& l) const {
    std::vector<std::string> rows;
    const VectorX speeds = l.x.segment(dofs(), dofs());
    if (speeds.isZero(0.0)) return rows;
    const Eigen::Index n = l.x.size() - dofs();
    const VectorX rate = (l.A.block(dofs(), 0, n, dofs()) * speeds).cwiseQuotient(sizes_.segment(dofs(), n)) / l.dt_s;
    for (Eigen::Index r = 0; r < n; ++r) {
      if (!(std::abs(rate[r]) > kSteady)) continue;
      rows.push_back(l.states[at(dofs() + r)] +
                     " is steady for an instant only: as the mechanism moves on, its change grows by " +
                     with_two_digits(rate[r]) + " of its size a second squared");
    }
    return rows;
  }

  Plant& plant_;
  ExactDerivatives derivatives_;
  const TrimSettings& settings_;
  State state_;
  StepInput input_;
  std::vector<std::string> independent_;
  std::vector<char> is_held_, is_free_command_;
  VectorX sizes_;  // of x and u
};

}  // namespace

Result<Trim> trim(Plant& plant, const State& start, const StepInput& input, const TrimSettings& settings) {
  if (input.count != plant.actuator_count()) return Error{"trim", "one command for each actuator"};
  if (!start.block().allFinite()) return Error{"trim", "the state must be finite"};
  const SteppingMode mode;
  State state = start;
  state.set_history_count(0);
  apply_prescribed_motion(plant.model(), state.time_s(), state.q().data(), state.v().data());
  return Trimmer(plant, std::move(state), input, settings).run();
}

}  // namespace kinloop
