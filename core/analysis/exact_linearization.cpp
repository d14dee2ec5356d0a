// The plant's step once more, beside what small changes become in it.
#include "core/analysis/exact_linearization.hpp"

#include "core/analysis/signal_slopes.hpp"
#include "core/base/at.hpp"
#include "core/derivatives/rotation_slopes.hpp"
#include "core/derivatives/step_slopes.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/plant/actuator_set_derivatives.hpp"

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
    const std::string& integrator = plant_.integrator(input_.level).name;
    if (std::string refused = StepSlopes::refusal(model_, integrator); !refused.empty()) return refused;
    if (plant_.dynamics_name(input_.level) == "partition" && model_.has_loops() &&
        integrator == "semi_implicit_euler") {
      return "formulation partition, which closes loops in its own way";
    }
    SignalSlopes signals(plant_, independent_);
    StateChanges changes;
    if (!place_changes(signals, base_, states() + inputs(), changes)) return "a position that is nearly singular";
    if (std::string failed = step(changes); !failed.empty()) return failed;
    read(changes, result);
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
               MatrixX::Zero(state.device_state().size(), columns)};
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

  /// Plant::step(), and what becomes of the changes.
  std::string step(StateChanges& changes) {
    const int level = input_.level;
    auto integrator = make_integrator(plant_.integrator(level).name, model_);
    (*integrator)->loops().settings() = plant_.stabilization(level);
    StepSlopes slopes(model_, plant_.integrator(level).name, plant_.stabilization(level));
    slopes.set_independent(independent_);
    ActuatorSetDerivatives derivatives(plant_.actuators());
    State state = base_;
    state.count_step();
    state.set_level(level);
    Plant::count_moved(state);
    const std::uint64_t moved = Plant::moved(state);
    for (int i = 0; i < plant_.actuators().size(); ++i) {
      derivatives.pass_command(i, moved, input_.command[at(i)], state, states() + i, changes.dz);
      plant_.actuators().pass_command(i, moved, input_.command[at(i)], state);
    }
    Loads loads(model_);
    Workspace ws(model_);
    MatrixX dtau = MatrixX::Zero(model_.nv(), changes.dq.cols());
    const double dt_s = plant_.substep_s(level);
    for (int i = 0; i < plant_.substeps(level); ++i) {
      derivatives.step(level, state, changes.dq, changes.dv, changes.dz, dtau);
      plant_.actuators().step(level, state);
      loads.tau.setZero();
      plant_.actuators().add_forces(state, loads.tau);
      plant_.gather_wrenches(state, loads.wrenches);
      const State before = state;
      Dynamics& dynamics = plant_.dynamics(level);
      if (!is_done((*integrator)->step(model_, loads, dt_s, dynamics, state, ws))) return "a step that fails";
      const StepStatus status = slopes.advance(before, state, loads, dt_s, dynamics, dtau, changes.dq, changes.dv);
      if (status != StepStatus::kOk) return "a position that is nearly singular";
    }
    const bool is_finite = changes.dq.allFinite() && changes.dv.allFinite() && changes.dz.allFinite();
    return is_finite ? "" : "numbers that are not finite";
  }

  void read(StateChanges& changes, Linearization& result) {
    VectorX increment = VectorX::Zero(model_.nv());
    configuration_difference(model_, base_.q().data(), end_.q().data(), increment.data());
    difference_slopes(model_, increment.data(), changes.dq);
    MatrixX all(states(), states() + inputs());
    Eigen::Index row = 0;
    for (const int i : chart_.independents()) all.row(row++) = changes.dq.row(i);
    for (const int i : chart_.independents()) all.row(row++) = changes.dv.row(i);
    for (const DeviceStateEntry& entry : plant_.device_state_entries(end_)) all.row(row++) = changes.dz.row(entry.at);
    result.A = all.leftCols(states());
    result.B = all.rightCols(inputs());
    const std::vector<int> direct = plant_.direct_forces();
    force_per_command_ = VectorX::Zero(inputs());
    for (Eigen::Index j = 0; j < inputs(); ++j) {
      if (direct[at(j)] >= 0) force_per_command_[j] = changes.dz(direct[at(j)], states() + j);
    }
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
