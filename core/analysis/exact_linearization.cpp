// A and B of the step, then C and D of the signals at its end.
#include "core/analysis/exact_linearization.hpp"

#include "core/analysis/signal_slopes.hpp"
#include "core/analysis/step_derivatives.hpp"
#include "core/base/at.hpp"
#include "core/derivatives/rotation_slopes.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/math/lu.hpp"

namespace kinloop {
namespace {

class ExactLinearizer {
 public:
  ExactLinearizer(Plant& plant, const State& base, const State& end, const StepInput& input, const StateChart& chart)
      : plant_(plant),
        model_(plant.model()),
        base_(base),
        end_(end),
        input_(input),
        chart_(chart),
        independent_(at(model_.nv()), 0) {
    for (const int i : chart.independents()) independent_[at(i)] = 1;
  }

  std::string run(Linearization& result) {
    if (input_.changes != 0) return "changes that come with the step";
    for (std::size_t i = 0; i < plant_.actuator_count(); ++i) {
      const std::size_t signal = plant_.sensor_count() + i;
      if (plant_.fault_of(signal, end_) != SignalFault::kNone || plant_.is_overridden(signal, end_)) {
        return "a fault of actuator '" + plant_.spec().actuators[i].name + "'";
      }
    }
    for (std::size_t i = 0; i < plant_.sensor_count(); ++i) {
      if (plant_.signal(i).kind == SignalKind::kReaction) return "sensor '" + plant_.spec().sensors[i].name + "'";
    }
    if (std::string refused = StepDerivatives::refusal(plant_, input_.level); !refused.empty()) return refused;
    StepDerivatives step(plant_, input_.level, independent_, base_);
    const StepStatus status = step.update(base_, input_);
    if (status == StepStatus::kSingularMass) return "a position that is nearly singular";
    if (status != StepStatus::kOk) return "a step of which this happened: " + std::string(describe(status));
    result.A = step.A();
    result.B = step.B();
    force_per_command_ = VectorX::Zero(inputs());
    const std::vector<int> direct = plant_.direct_forces();
    for (int j = 0; j < inputs(); ++j) {
      if (direct[at(j)] >= 0) force_per_command_[j] = step.force_per_command(j);
    }
    SignalSlopes signals(plant_, independent_);
    return outputs(signals, result);
  }

 private:
  Eigen::Index states() const { return chart_.size(); }
  Eigen::Index inputs() const { return static_cast<Eigen::Index>(plant_.actuator_count()); }
  Eigen::Index dofs() const { return chart_.dofs(); }

  /// One column for each entry of x at this state, in the chart of x_0; the rest is zero.
  bool place_changes(SignalSlopes& signals, const State& state, Eigen::Index columns, StateChanges& changes) const {
    const Eigen::Index nv = model_.nv();
    const Eigen::Index k = dofs();
    changes = {MatrixX::Zero(nv, columns), MatrixX::Zero(nv, columns),
               RowMatrix::Zero(state.device_state().size(), columns)};
    if (!signals.update(state)) return false;
    const AccelerationSlopes& slopes = signals.accelerations();
    MatrixX moved = slopes.dofs();
    MatrixX faster = MatrixX::Zero(nv, k);
    if (model_.has_loops()) slopes.dependents(MatrixX(-slopes.loops().rate_by_q() * moved), faster);
    // By what of the coordinates a unit of each entry of x is made.
    MatrixX read = moved;
    VectorX increment = VectorX::Zero(nv);
    configuration_difference(model_, base_.q().data(), state.q().data(), increment.data());
    difference_slopes(model_, increment.data(), read);
    LuFactors lu(k);
    for (Eigen::Index i = 0; i < k; ++i) lu.matrix().row(i) = read.row(chart_.independents()[at(i)]);
    MatrixX unit = MatrixX::Identity(k, k);
    if (k > 0 && !lu.factorize(k)) return false;
    lu.solve(unit);
    changes.dq.leftCols(k) = moved * unit;
    changes.dv.leftCols(k) = faster * unit;
    changes.dv.middleCols(k, k) = slopes.dofs();
    Eigen::Index column = 2 * k;
    for (const DeviceStateEntry& entry : plant_.device_state_entries(state)) {
      changes.dz(entry.at, column) = 1.0;
      if (entry.force_at >= 0) changes.dz(entry.force_at, column) = entry.force_per_unit;
      ++column;
    }
    return true;
  }

  std::string outputs(SignalSlopes& signals, Linearization& result) {
    const auto count = static_cast<Eigen::Index>(plant_.sensor_count());
    StateChanges changes;
    if (!place_changes(signals, end_, states() + inputs(), changes)) return "a position that is nearly singular";
    const std::vector<int> direct = plant_.direct_forces();
    for (Eigen::Index j = 0; j < inputs(); ++j) {
      if (direct[at(j)] >= 0) changes.dz(direct[at(j)], states() + j) = force_per_command_[j];
    }
    MatrixX rows(count, states() + inputs());
    if (count > 0 && !signals.rows(end_, changes, rows)) return "signals that are not finite";
    result.C = rows.leftCols(states());
    result.D = rows.rightCols(inputs());
    return {};
  }

  Plant& plant_;
  const Model& model_;
  const State& base_;
  const State& end_;
  const StepInput& input_;
  const StateChart& chart_;
  std::vector<char> independent_;
  VectorX force_per_command_;
};

}  // namespace

std::string linearize_exactly(Plant& plant, const State& base, const State& end, const StepInput& input,
                              const StateChart& chart, Linearization& result) {
  return ExactLinearizer(plant, base, end, input, chart).run(result);
}

}  // namespace kinloop
