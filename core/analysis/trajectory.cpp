// Steps with their derivatives, command by command; then backwards with the slopes of the cost.
#include "core/analysis/trajectory.hpp"

#include <algorithm>
#include <cmath>

#include "core/analysis/branch_warnings.hpp"
#include "core/analysis/exact_linearization.hpp"
#include "core/analysis/output_slopes.hpp"
#include "core/base/at.hpp"
#include "core/base/stepping_mode.hpp"
#include "core/kinematics/forward_kinematics.hpp"

namespace kinloop {
namespace {

class TrajectoryLinearizer {
 public:
  TrajectoryLinearizer(Plant& plant, const State& start, const TrajectoryPlan& plan, const StateChart& chart)
      : plant_(plant),
        plan_(plan),
        input_(plan.input),
        independent_(independent_marks(plant.model(), chart)),
        step_(plant, plan.input.level, independent_, start, EndChart::kOfEnd),
        outputs_(plant, independent_),
        way_{chart.names(), chart.independents(), {}, {}, {}, {}, {}, {}, {}, start} {
    for (const int i : way_.independents) names_.push_back(plant.model().speed_name(i));
    input_.count = static_cast<std::uint32_t>(plant.actuator_count());
  }

  Result<Trajectory> run() {
    const std::size_t width = plant_.actuator_count();
    const std::size_t rows = width == 0 ? plan_.rows : plan_.commands.size() / width;
    Result<StateChart> chart = chart_here();
    if (!chart) return chart.error();
    way_.x.push_back(chart->read(way_.end));
    for (std::size_t row = 0; row < rows; ++row) {
      if (plan_.pulse != nullptr) plan_.pulse->fetch_add(1, std::memory_order_relaxed);
      if (plan_.cancelled != nullptr && plan_.cancelled->load(std::memory_order_relaxed)) return std::move(way_);
      std::copy_n(plan_.commands.begin() + static_cast<std::ptrdiff_t>(row * width), width, input_.command.begin());
      warn(row);
      const std::string refused = hold();
      if (refused.empty() && !is_done(way_.status)) return std::move(way_);
      if (std::string where = refused.empty() ? show() : refused; !where.empty()) {
        return Error{"trajectory", "command " + std::to_string(row) + " cannot be differentiated, because of " + where};
      }
    }
    way_.complete = true;
    return std::move(way_);
  }

 private:
  Result<StateChart> chart_here() const { return StateChart::make(plant_, way_.end, names_); }

  /// The steps of one command; why they cannot be differentiated.
  std::string hold() {
    for (int i = 0; i < plan_.steps_per_command; ++i) {
      const StepStatus status = step_.update(way_.end, input_);
      if (status != StepStatus::kOk) {
        // The plant's own step says whether it is the step that fails, or its derivative.
        State after = way_.end;
        way_.status = plant_.step(input_, after);
        return is_done(way_.status) ? step_failure(status) : std::string();
      }
      if (i == 0) {
        A_ = step_.A();
        B_ = step_.B();
      } else {
        next_.noalias() = step_.A() * B_;
        B_ = next_ + step_.B();
        next_.noalias() = step_.A() * A_;
        A_ = next_;
      }
      way_.end.block() = step_.end().block();
    }
    way_.A.push_back(A_);
    way_.B.push_back(B_);
    return {};
  }

  /// x, y, C and D after a command.
  std::string show() {
    Result<StateChart> chart = chart_here();
    if (!chart) return "a position that is nearly singular";
    way_.x.push_back(chart->read(way_.end));
    VectorX y(static_cast<Eigen::Index>(plant_.sensor_count()));
    plant_.true_signals(way_.end, {y.data(), plant_.sensor_count()});
    way_.y.push_back(std::move(y));
    MatrixX C, D;
    const VectorX forces = forces_per_command(plant_, step_);
    std::string refused = outputs_.update(way_.end, way_.end, *chart, forces, C, D);
    way_.C.push_back(std::move(C));
    way_.D.push_back(std::move(D));
    return refused;
  }

  void warn(std::size_t row) {
    for (const std::string& branch : branch_warnings(plant_, way_.end, input_)) {
      if (std::find(warned_.begin(), warned_.end(), branch) != warned_.end()) continue;
      warned_.push_back(branch);
      way_.warnings.push_back("command " + std::to_string(row) + ": " + branch);
    }
  }

  Plant& plant_;
  const TrajectoryPlan& plan_;
  StepInput input_;
  std::vector<char> independent_;
  StepDerivatives step_;
  OutputSlopes outputs_;
  MatrixX A_, B_, next_;
  std::vector<std::string> names_, warned_;
  Trajectory way_;
};

Result<bool> check_trajectory(const Plant& plant, const State& start, const TrajectoryPlan& plan) {
  const std::size_t width = plant.actuator_count();
  if (plan.steps_per_command < 1) return Error{"steps_per_command", "must be 1 or more"};
  if (plan.input.level < 0 || at(plan.input.level) >= plant.spec().levels.size()) {
    return Error{"level", "the plant has no solver level " + std::to_string(plan.input.level)};
  }
  const bool is_whole = width == 0 ? plan.commands.empty() : plan.commands.size() % width == 0;
  if (!is_whole) return Error{"commands", "are rows of one for each of the " + std::to_string(width) + " actuators"};
  if (!std::all_of(plan.commands.begin(), plan.commands.end(), [](double c) { return std::isfinite(c); })) {
    return Error{"commands", "must be finite"};
  }
  if (!start.block().allFinite()) return Error{"state", "must be finite"};
  return true;
}

/// Of a list that is empty, one row or all of them.
double entry_of(const std::vector<double>& list, std::size_t row, std::size_t column, std::size_t width) {
  if (list.empty()) return 0.0;
  return list[list.size() == width ? column : row * width + column];
}

}  // namespace

Result<Trajectory> linearize_trajectory(Plant& plant, const State& start, const TrajectoryPlan& plan) {
  if (const Result<bool> fits = check_trajectory(plant, start, plan); !fits) return fits.error();
  const SteppingMode mode;
  State base = start;
  base.set_history_count(0);
  apply_prescribed_motion(plant.model(), base.time_s(), base.q().data(), base.v().data());
  if (const std::string refused = step_refusal(plant, base, plan.input); !refused.empty()) {
    return Error{"trajectory", "steps cannot be differentiated, because of " + refused};
  }
  const Result<StateChart> chart = StateChart::make(plant, base, plan.independent);
  if (!chart) return chart.error();
  return TrajectoryLinearizer(plant, base, plan, *chart).run();
}

Result<bool> check_cost(const QuadraticCost& cost, std::size_t sensors, std::size_t actuators, std::size_t rows) {
  const auto check = [&](const std::vector<double>& list, const char* name, std::size_t width,
                         bool has_rows) -> Result<bool> {
    const bool fits = list.empty() || list.size() == width || (has_rows && list.size() == width * rows);
    if (!fits) {
      return Error{std::string("cost.") + name,
                   "has " + std::to_string(list.size()) + " numbers, not " + std::to_string(width) +
                       (has_rows ? ", or as many for each of " + std::to_string(rows) + " commands" : "")};
    }
    const bool is_finite = std::all_of(list.begin(), list.end(), [](double c) { return std::isfinite(c); });
    if (!is_finite) return Error{std::string("cost.") + name, "must be finite"};
    return true;
  };
  for (const Result<bool>& fits : {check(cost.output_weights, "output_weights", sensors, false),
                                   check(cost.output_targets, "output_targets", sensors, true),
                                   check(cost.end_weights, "end_weights", sensors, false),
                                   check(cost.command_weights, "command_weights", actuators, false),
                                   check(cost.command_targets, "command_targets", actuators, true)}) {
    if (!fits) return fits;
  }
  return true;
}

CostGradient cost_gradient(const Trajectory& way, const std::vector<double>& commands, const QuadraticCost& cost) {
  const std::size_t rows = way.A.size();
  const std::size_t actuators = rows > 0 ? at(static_cast<int>(way.B[0].cols())) : 0;
  const std::size_t sensors = rows > 0 ? at(static_cast<int>(way.C[0].rows())) : 0;
  CostGradient result;
  result.by_commands.assign(rows * actuators, 0.0);
  VectorX adjoint = VectorX::Zero(static_cast<Eigen::Index>(way.states.size()));
  VectorX by_output(static_cast<Eigen::Index>(sensors));
  for (std::size_t row = rows; row-- > 0;) {
    for (std::size_t s = 0; s < sensors; ++s) {
      const auto i = static_cast<Eigen::Index>(s);
      const double missed = way.y[row][i] - entry_of(cost.output_targets, row, s, sensors);
      double weight = entry_of(cost.output_weights, 0, s, sensors);
      if (row + 1 == rows) weight += entry_of(cost.end_weights, 0, s, sensors);
      by_output[i] = weight == 0.0 ? 0.0 : weight * missed;  // what has no weight may be undefined
      if (weight != 0.0) result.cost += 0.5 * weight * missed * missed;
    }
    adjoint += way.C[row].transpose() * by_output;
    const VectorX by_command = way.B[row].transpose() * adjoint + way.D[row].transpose() * by_output;
    for (std::size_t a = 0; a < actuators; ++a) {
      const double weight = entry_of(cost.command_weights, 0, a, actuators);
      const double missed = commands[row * actuators + a] - entry_of(cost.command_targets, row, a, actuators);
      result.cost += 0.5 * weight * missed * missed;
      result.by_commands[row * actuators + a] = by_command[static_cast<Eigen::Index>(a)] + weight * missed;
    }
    adjoint = way.A[row].transpose() * adjoint;
  }
  result.by_start = adjoint;
  return result;
}

}  // namespace kinloop
