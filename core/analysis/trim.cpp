// Newton's method on the step: shortest corrections, each shortened until it helps.
#include "core/analysis/trim.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/linearize.hpp"
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
constexpr double kSmallestSingular = 1e-11;
constexpr int kMaxHalvings = 12;

class Trimmer {
 public:
  Trimmer(Plant& plant, State start, const StepInput& input, const TrimSettings& settings)
      : plant_(plant), settings_(settings), state_(std::move(start)), input_(input) {}

  Result<Trim> run() {
    for (const auto part : {&Trimmer::take_commands, &Trimmer::take_coordinates}) {
      if (const Result<bool> done = (this->*part)(); !done) return done.error();
    }
    Result<Linearization> l = at_present();
    if (!l) return l.error();
    VectorX residual = residual_of(*l);
    const auto worst = [&] { return residual.lpNorm<Eigen::Infinity>(); };
    int i = 0;
    for (; i < settings_.max_iterations && worst() > kReached; ++i) {
      const State before = state_;
      const StepInput input_before = input_;
      const VectorX change = correction(*l);
      bool helps = false;
      double share = 1.0;
      for (int h = 0; h < kMaxHalvings && !helps; ++h, share *= 0.5) {
        state_ = before;
        input_ = input_before;
        if (!move(*l, share * change)) continue;
        Result<Linearization> next = at_present();
        if (!next) continue;
        const VectorX left = residual_of(*next);
        if (!(left.norm() < residual.norm())) continue;
        helps = true;
        residual = left;
        l = std::move(next);
      }
      if (helps) continue;
      state_ = before;
      input_ = input_before;
      break;
    }
    Trim result{state_, input_, i, worst() <= kReached, worst(), {}};
    if (!result.is_reached) result.missing = explain(*l);
    return result;
  }

 private:
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

  Result<Linearization> at_present() const {
    return linearize(plant_, state_, input_, {LinearizeMethod::kExact, independent_});
  }

  /// How much speeds and memory change in a second, against their sizes.
  VectorX residual_of(const Linearization& l) const {
    const Result<StateChart> chart = StateChart::make(plant_, state_, independent_);
    if (!chart) return VectorX::Constant(1, std::numeric_limits<double>::infinity());
    const Eigen::Index rows = l.x.size() - dofs();
    return (l.x_next - l.x).tail(rows).cwiseQuotient(chart->sizes(state_).tail(rows)) / l.dt_s;
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

  VectorX sizes_of(const Linearization& l) const {
    const Result<StateChart> chart = StateChart::make(plant_, state_, independent_);
    VectorX sizes(l.x.size() + l.u.size());
    sizes.setOnes();
    if (chart) sizes.head(l.x.size()) = chart->sizes(state_);
    for (Eigen::Index j = 0; j < l.u.size(); ++j) {
      const CommandChainSettings& chain = plant_.spec().actuators[at(j)].chain;
      const double range = chain.upper - chain.lower;
      sizes[l.x.size() + j] = std::isfinite(range) ? range : std::max(1.0, std::abs(l.u[j]));
    }
    return sizes;
  }

  /// Rows of residual_of() by the sought columns, in their sizes.
  MatrixX slopes(const Linearization& l) const {
    const VectorX sizes = sizes_of(l);
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

  /// Of x and u, all entries.
  VectorX correction(const Linearization& l) const {
    const VectorX sizes = sizes_of(l);
    const std::vector<Eigen::Index> columns = sought(l);
    VectorX full = VectorX::Zero(l.x.size() + l.u.size());
    if (columns.empty()) return full;
    const VectorX step = shortest_solution(slopes(l), VectorX(-residual_of(l)), kSmallestSingular);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      full[columns[c]] = step[static_cast<Eigen::Index>(c)] * sizes[columns[c]];
    }
    return full;
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

  Plant& plant_;
  const TrimSettings& settings_;
  State state_;
  StepInput input_;
  std::vector<std::string> independent_;
  std::vector<char> is_held_, is_free_command_;
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
