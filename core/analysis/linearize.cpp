// Asks for the exact derivatives; or moves every entry of x and u, steps, and looks what became of it.
#include "core/analysis/linearize.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/actuators/actuator_type.hpp"
#include "core/analysis/branch_warnings.hpp"
#include "core/analysis/command_limits.hpp"
#include "core/analysis/differences.hpp"
#include "core/analysis/exact_linearization.hpp"
#include "core/analysis/model_parameters.hpp"
#include "core/analysis/state_chart.hpp"
#include "core/base/at.hpp"
#include "core/base/name_table.hpp"
#include "core/base/stepping_mode.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop {
namespace {

/// The first, largest step of all differences: of an entry's size.
constexpr double kFirst = 0x1p-6;
/// Commands are moved until the mechanism moves by this share of its sizes: what a force of 1 N does to a crane would
/// drown in rounding.
constexpr double kNoticed = 0x1p-8;
constexpr double kMaxGrowth = 1e12;
/// Responses below these shares of the sizes are none, as of a force along a joint that the loops lock: of commands as
/// large as they usually are, and once they are chosen so that the mechanism notices.
constexpr double kRounded = 1e-14;
constexpr double kUnnoticed = 1e-9;

class Linearizer {
 public:
  Linearizer(Plant& plant, ExactDerivatives& derivatives, const StepInput& input, const State& base, StateChart chart)
      : plant_(plant),
        derivatives_(derivatives),
        input_(input),
        base_(base),
        end_(base),
        chart_(std::move(chart)),
        direct_(plant.direct_forces()) {}

  Result<Linearization> run(const LinearizeSettings& settings) {
    if (const Result<bool> done = step_itself(); !done) return done.error();
    if (const Result<bool> done = differentiate_parameters(settings.parameters); !done) return done.error();
    const LinearizeMethod method = settings.method;
    result_.method = "differences";
    if (method == LinearizeMethod::kExact) {
      const std::string refused = linearize_exactly(derivatives_, base_, end_, input_, chart_, result_);
      if (refused.empty()) {
        const std::vector<std::string> branches = branch_warnings(plant_, base_, input_);
        result_.warnings.insert(result_.warnings.end(), branches.begin(), branches.end());
        return std::move(result_);
      }
      result_.method += ", because of " + refused;
    }
    for (const auto part :
         {&Linearizer::differentiate_states, &Linearizer::differentiate_inputs, &Linearizer::differentiate_outputs}) {
      if (const Result<bool> done = (this->*part)(); !done) return done.error();
    }
    return std::move(result_);
  }

 private:
  Result<bool> step_itself() {
    const StepStatus status = plant_.step(input_, end_);
    if (!is_done(status)) return Error{"linearize", "the step fails: " + std::string(describe(status))};
    if (status != StepStatus::kOk) result_.warnings.emplace_back(describe(status));
    sizes_ = chart_.sizes(base_);
    result_.dt_s = plant_.spec().dt_s;
    result_.states = chart_.names();
    result_.x = chart_.read(base_);
    result_.x_next = chart_.read(end_);
    for (const ActuatorSpec& actuator : plant_.spec().actuators) result_.inputs.push_back(actuator.name);
    for (const SensorSpec& sensor : plant_.spec().sensors) result_.outputs.push_back(sensor.name);
    result_.u = Eigen::Map<const VectorX>(input_.command.data(), inputs());
    result_.y = signals(end_);
    warn_of_friction();
    for (std::size_t i = 0; i < plant_.actuator_count(); ++i) {
      limits_.push_back(command_limits(plant_, i, base_, input_.command[i]));
      const auto& warnings = limits_.back().warnings;
      result_.warnings.insert(result_.warnings.end(), warnings.begin(), warnings.end());
    }
    return true;
  }

  Result<bool> differentiate_parameters(const std::vector<std::string>& patterns) {
    if (patterns.empty()) return true;
    const Result<NamedValues> chosen = choose_parameters(plant_.model(), patterns);
    if (!chosen) return chosen.error();
    for (const auto& [name, value] : *chosen) result_.parameters.push_back(name);
    result_.p.resize(static_cast<Eigen::Index>(chosen->size()));
    for (std::size_t i = 0; i < chosen->size(); ++i) result_.p[static_cast<Eigen::Index>(i)] = (*chosen)[i].second;
    const std::string refused = differentiate_by_parameters(plant_, base_, end_, input_, chart_, *chosen, result_.P);
    if (refused.empty()) return true;
    return Error{"parameters", "the step cannot be differentiated by them, because of " + refused};
  }

  Result<bool> differentiate_states() {
    result_.A.resize(states(), states());
    const std::vector<DeviceStateEntry> entries = plant_.device_state_entries(base_);
    for (Eigen::Index j = 0; j < states(); ++j) {
      const MovedBy f = [&](double h) -> Result<VectorX> {
        VectorX x = result_.x;
        x[j] += h;
        const Result<State> placed = chart_.place(base_, x);
        if (!placed) return placed.error();
        return stepped(*placed, input_);
      };
      double first = kFirst * sizes_[j];
      if (const Eigen::Index m = j - 2 * chart_.dofs(); m >= 0) {
        const DeviceStateEntry& entry = entries[at(m)];
        if (entry.size == 0.0) first = noticed(f, entry.actuator, first);
      } else if (j >= chart_.dofs()) {
        first = std::min(first, least_friction_speed_);
      }
      const Result<Derivative> column = differentiate(f, result_.x_next, first, result_.states[at(j)]);
      if (!column) return inside(column.error(), result_.states[at(j)]);
      result_.A.col(j) = column->value;
    }
    return true;
  }

  /// B, and how the forces follow that are commanded at once.
  Result<bool> differentiate_inputs() {
    result_.B.resize(states(), inputs());
    force_per_command_.resize(inputs());
    for (Eigen::Index j = 0; j < inputs(); ++j) {
      const auto a = at(j);
      const MovedBy f = [&](double h) -> Result<VectorX> {
        StepInput input = input_;
        input.command[a] += h;
        return stepped(base_, input, direct_[a]);
      };
      const double first = noticed(f, static_cast<int>(j), kFirst * std::max(1.0, std::abs(result_.u[j])));
      VectorX at_zero(states() + 1);
      at_zero << result_.x_next, force(end_, direct_[a]);
      const Result<Derivative> column = differentiate(f, at_zero, first, result_.inputs[a]);
      if (!column) return inside(column.error(), result_.inputs[a]);
      result_.B.col(j) = column->value.head(states());
      force_per_command_[j] = column->value[states()];
    }
    return true;
  }

  /// C from the end of the step on; D through the forces that are commanded at once.
  Result<bool> differentiate_outputs() {
    result_.C.resize(outputs(), states());
    result_.D = MatrixX::Zero(outputs(), inputs());
    if (outputs() == 0) return true;
    const VectorX sizes = chart_.sizes(end_);
    for (Eigen::Index j = 0; j < states(); ++j) {
      const MovedBy f = [&](double h) -> Result<VectorX> {
        VectorX x = result_.x_next;
        x[j] += h;
        const Result<State> placed = chart_.place(end_, x);
        if (!placed) return placed.error();
        return signals(*placed);
      };
      const Result<Derivative> column = derivative(f, result_.y, kFirst * sizes[j]);
      if (!column) return inside(column.error(), result_.states[at(j)]);
      result_.C.col(j) = column->value;
    }
    for (Eigen::Index j = 0; j < inputs(); ++j) {
      const int place = direct_[at(j)];
      if (place < 0) continue;
      const MovedBy f = [&](double h) -> Result<VectorX> {
        State state = end_;
        state.device_state()[place] += h;
        return signals(state);
      };
      const Result<Derivative> column = derivative(f, result_.y, kFirst * std::max(1.0, std::abs(force(end_, place))));
      if (!column) return inside(column.error(), result_.inputs[at(j)]);
      result_.D.col(j) = force_per_command_[j] * column->value;
    }
    return true;
  }

  Eigen::Index states() const { return chart_.size(); }
  Eigen::Index inputs() const { return static_cast<Eigen::Index>(plant_.actuator_count()); }
  Eigen::Index outputs() const { return static_cast<Eigen::Index>(plant_.sensor_count()); }

  static Error inside(const Error& error, const std::string& name) { return {error.where, name + ": " + error.what}; }

  static double force(const State& state, int at) { return at >= 0 ? state.device_state()[at] : 0.0; }

  VectorX signals(const State& state) {
    VectorX y(outputs());
    plant_.true_signals(state, {y.data(), plant_.sensor_count()});
    return y;
  }

  Result<VectorX> stepped(State state, const StepInput& input) {
    const StepStatus status = plant_.step(input, state);
    if (!is_done(status))
      return Error{"linearize", "the step fails beside this state: " + std::string(describe(status))};
    return chart_.read(state);
  }

  Result<VectorX> stepped(State state, const StepInput& input, int force_at) {
    const StepStatus status = plant_.step(input, state);
    if (!is_done(status))
      return Error{"linearize", "the step fails beside these commands: " + std::string(describe(status))};
    VectorX all(states() + 1);
    all << chart_.read(state), force(state, force_at);
    return all;
  }

  /// The derivative, and what it tells about the whole.
  Result<Derivative> differentiate(const MovedBy& f, const VectorX& at_zero, double first, const std::string& name) {
    Result<Derivative> column = derivative(f, at_zero, first);
    if (!column) return column;
    if (column->has_kink) {
      result_.warnings.push_back(name +
                                 ": its effects to both sides differ, as at a limit or stop; this is their mean");
    }
    const double response = (column->value.head(states()).array().abs() / sizes_.array()).maxCoeff();
    const double error = (column->error.head(states()).array() / sizes_.array()).maxCoeff();
    result_.uncertainty = std::max(result_.uncertainty, error / std::max(response, kUnnoticed / first));
    return column;
  }

  /// A first step for what commands the actuator: large enough for the mechanism to feel, within the command's limits.
  double noticed(const MovedBy& f, int actuator, double first) {
    const auto a = at(actuator);
    const ActuatorSpec& spec = plant_.spec().actuators[a];
    const double range = spec.chain.upper - spec.chain.lower;
    const double room = 0.5 * limits_[a].room;
    if (std::isfinite(range)) first = std::max(first, 0.5 * kFirst * range);
    first = std::min(first, room);
    if (actuator_type(spec.kind).command(spec).full > 0.0) return first;  // an opening: its size is known
    const Result<VectorX> moved = f(first);
    if (!moved) return first;
    const Eigen::Index n = 2 * chart_.dofs();
    if (n == 0) return first;
    const double response =
        ((moved->head(n) - result_.x_next.head(n)).array().abs() / sizes_.head(n).array()).maxCoeff();
    if (!(response > kRounded) || response > kNoticed) return first;
    return std::min(first * std::min(kNoticed / response, kMaxGrowth), room);
  }

  void warn_of_friction() {
    const Model& model = plant_.model();
    for (int i = 0; i < model.nv(); ++i) {
      const CoordinateConstants& coordinate = model.coordinate(i);
      if (coordinate.dry_friction == 0.0 || coordinate.motion >= 0) continue;
      least_friction_speed_ = std::min(least_friction_speed_, coordinate.friction_speed);
      if (std::abs(base_.v()[i]) > coordinate.friction_speed) continue;
      result_.warnings.push_back(model.speed_name(i) + ": rests in its dry friction, which is linear only as far as " +
                                 std::to_string(coordinate.friction_speed) + " (its friction_speed)");
    }
  }

  Plant& plant_;
  ExactDerivatives& derivatives_;
  StepInput input_;
  const State base_;
  State end_;  // after the step
  StateChart chart_;
  std::vector<int> direct_;
  std::vector<CommandLimits> limits_;
  VectorX sizes_, force_per_command_;
  double least_friction_speed_ = std::numeric_limits<double>::infinity();
  Linearization result_;
};

constexpr NameTable kLinearizeMethods("method", std::array{KindName{LinearizeMethod::kExact, "exact"},
                                                           KindName{LinearizeMethod::kDifferences, "differences"}});

constexpr NameTable kLinearizeSides("side", std::array{KindName{LinearizeSide::kEither, "either"},
                                                       KindName{LinearizeSide::kBelow, "below"},
                                                       KindName{LinearizeSide::kAbove, "above"}});

/// Far enough from an edge to be on one side of it, too near to change a derivative by more than its seventh digit.
constexpr double kBeside = 1e-8;

/// Moves state and commands off the edges they stand on.
Result<bool> step_aside(const Plant& plant, LinearizeSide side, StateChart& chart, State& base, StepInput& input) {
  if (side == LinearizeSide::kEither) return true;
  const double share = side == LinearizeSide::kAbove ? kBeside : -kBeside;
  const Result<State> placed = chart.place(base, chart.read(base) + share * chart.sizes(base));
  if (!placed) return placed.error();
  base = *placed;
  for (std::size_t i = 0; i < plant.actuator_count(); ++i) {
    const CommandChainSettings& chain = plant.spec().actuators[i].chain;
    const double range = chain.upper - chain.lower;
    input.command[i] += share * (std::isfinite(range) ? range : std::max(1.0, std::abs(input.command[i])));
  }
  return true;
}

Result<bool> check_start(const Plant& plant, const State& state, const StepInput& input) {
  if (input.count != plant.actuator_count()) {
    return Error{"commands", "there are " + std::to_string(plant.actuator_count()) + " actuators, not " +
                                 std::to_string(input.count)};
  }
  if (input.level < 0 || at(input.level) >= plant.spec().levels.size()) {
    return Error{"level", "the plant has no solver level " + std::to_string(input.level)};
  }
  if (input.frozen != 0) return Error{"linearize", "the plant stands still"};
  const auto* end = input.command.begin() + input.count;
  if (!std::all_of(input.command.begin(), end, [](double c) { return std::isfinite(c); })) {
    return Error{"commands", "must be finite"};
  }
  if (!state.block().allFinite()) return Error{"state", "must be finite"};
  return true;
}

}  // namespace

Result<LinearizeMethod> find_linearize_method(std::string_view name) { return kLinearizeMethods.find(name); }

Result<LinearizeSide> find_linearize_side(std::string_view name) { return kLinearizeSides.find(name); }

Result<Linearization> linearize(Plant& plant, const State& state, const StepInput& given,
                                const LinearizeSettings& settings, ExactDerivatives* kept) {
  if (const Result<bool> fits = check_start(plant, state, given); !fits) return fits.error();
  const SteppingMode mode;
  State base = state;
  base.set_history_count(0);
  apply_prescribed_motion(plant.model(), base.time_s(), base.q().data(), base.v().data());
  Result<StateChart> chart = StateChart::make(plant, base, settings.independent);
  if (!chart) return chart.error();
  StepInput input = given;
  if (const Result<bool> moved = step_aside(plant, settings.side, *chart, base, input); !moved) return moved.error();
  ExactDerivatives own(plant);
  return Linearizer(plant, kept != nullptr ? *kept : own, input, base, std::move(chart).value()).run(settings);
}

}  // namespace kinloop
