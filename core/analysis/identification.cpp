// Roll-outs with sensitivities by the parameters, and normal equations of their residuals.
#include "core/analysis/identification.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/analysis/exact_linearization.hpp"
#include "core/analysis/output_slopes.hpp"
#include "core/base/at.hpp"
#include "core/base/stepping_mode.hpp"
#include "core/math/least_squares.hpp"

namespace kinloop {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kConverged = 1e-9;  // of a parameter's value, in its last correction
/// Of a sensor's residuals against its readings: closer than that no roll-out repeats another one's numbers, so closer
/// residuals say nothing of how well values are known.
constexpr double kLeastSpread = 1e-9;
constexpr double kFirstDamping = 1e-6;  // of the normal equations' diagonal
constexpr double kLargestDamping = 1e12;
constexpr int kRoundsOfWeights = 3;

/// Whether a signal follows from what StateChart describes, with no part of its own from the parameters.
bool follows_from_state(const Signal& signal) {
  switch (signal.kind) {
    case SignalKind::kCoordinate:
    case SignalKind::kSpeed:
    case SignalKind::kPosition:
    case SignalKind::kVelocity:
    case SignalKind::kAngularVelocity:
    case SignalKind::kActuatorQuantity:
    case SignalKind::kPumpPressure:
      return true;
    default:
      return false;
  }
}

/// What a roll-out with certain parameters gives.
struct Outcome {
  MatrixX predicted;              // sample by sensor
  std::vector<MatrixX> by_value;  // of each sample: sensor by parameter
};

class Identifier {
 public:
  Identifier(const Model& model, const PlantSpec& spec, const Observation& observed, const NamedValues& parameters,
             const IdentificationSettings& settings)
      : model_(model), spec_(spec), observed_(observed), settings_(settings), values_(parameters) {}

  Result<Identification> run() {
    for (const auto& [name, value] : values_) result_.parameters.push_back({name, value, value, 0.0});
    if (const Result<bool> ready = take_readings(); !ready) return ready.error();
    Result<Outcome> now = roll_out(values_);
    if (!now) return now.error();
    result_.residuals_before = measured_ - now->predicted;
    weigh(measured_);  // to begin with, by how far readings go
    for (int round = 0; round < kRoundsOfWeights; ++round) {
      if (const Result<bool> found = minimise(*now); !found) return found.error();
      weigh(measured_ - now->predicted);
    }
    finish(*now);
    return std::move(result_);
  }

 private:
  Eigen::Index count() const { return static_cast<Eigen::Index>(values_.size()); }
  Eigen::Index sensors() const { return static_cast<Eigen::Index>(spec_.sensors.size()); }

  /// After which step what a sensor's reading after step `shown` was true; nothing where it is no fresh sample.
  std::optional<std::size_t> sampled_step(const SensorSettings& sensor, std::size_t shown) const {
    const std::uint64_t step = observed_.start.step() + shown + 1;
    const auto late = static_cast<std::size_t>(std::llround(sensor.delay_s / spec_.dt_s));
    if (step % static_cast<std::uint64_t>(sensor.every) != 0 || shown < late) return std::nullopt;
    return shown - late;
  }

  /// Fresh readings, without what the rig knows of their bias; each at the step at which it was true.
  Result<bool> take_readings() {
    const auto plant = Plant::make(model_, spec_);
    if (!plant) return plant.error();
    std::vector<std::map<std::size_t, double>> readings(spec_.sensors.size());
    std::size_t used = 0;
    for (std::size_t s = 0; s < spec_.sensors.size(); ++s) {
      const SensorSettings& sensor = spec_.sensors[s].settings;
      result_.sensors.push_back({spec_.sensors[s].name});
      if (!follows_from_state((*plant)->signal(s))) continue;
      for (std::size_t shown = 0; shown < observed_.readings.size(); ++shown) {
        const std::optional<std::size_t> step = sampled_step(sensor, shown);
        const double reading = observed_.readings[shown][s];
        if (!step || !std::isfinite(reading)) continue;
        const auto count = static_cast<double>(observed_.start.step() + shown + 1);
        readings[s][*step] = reading - sensor.bias - sensor.drift_per_s * count * spec_.dt_s;
      }
      result_.sensors[s].is_used = !readings[s].empty();
      used += result_.sensors[s].is_used ? 1 : 0;
    }
    if (used == 0) {
      return Error{"fit", "no sensor shows a place, a speed or a pressure: there is nothing to fit to"};
    }
    std::set<std::size_t> samples;
    for (const auto& of_sensor : readings) {
      const std::size_t wanted = std::max<std::size_t>(1, at(std::max(1, settings_.max_samples)) / used);
      const std::size_t stride = (of_sensor.size() + wanted - 1) / wanted;
      std::size_t i = 0;
      for (const auto& [step, reading] : of_sensor) {
        if (++i % stride == 0) samples.insert(step);
      }
    }
    samples_.assign(samples.begin(), samples.end());
    measured_ = MatrixX::Constant(static_cast<Eigen::Index>(samples_.size()), sensors(), kNoNumber);
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      for (std::size_t s = 0; s < readings.size(); ++s) {
        const auto found = readings[s].find(samples_[i]);
        if (found == readings[s].end()) continue;
        measured_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(s)) = found->second;
      }
    }
    return true;
  }

  Result<Outcome> roll_out(const NamedValues& values) const {
    const SteppingMode mode;
    const Result<Model> model = with_parameters(model_, values);
    if (!model) return model.error();
    const auto neighbours = parameter_neighbours(*model, values);
    if (!neighbours) return neighbours.error();
    ParameterForces forces(*neighbours);
    const auto made = Plant::make(*model, spec_);
    if (!made) return made.error();
    Plant& plant = **made;
    State state = observed_.start;
    state.set_history_count(0);
    const int level = observed_.inputs.front().level;
    const std::string refused = StepPropagator::parameter_refusal(plant, level);
    if (!refused.empty()) return Error{"fit", "steps cannot be differentiated by parameters, because of " + refused};
    Result<StateChart> chart = StateChart::make(plant, state);
    if (!chart) return chart.error();
    std::vector<std::string> names;
    for (const int i : chart->independents()) names.push_back(model->speed_name(i));
    const std::vector<char> independent = independent_marks(*model, *chart);
    StepDerivatives step(plant, level, independent, state, EndChart::kOfEnd, &forces);
    OutputSlopes outputs(plant, independent);
    MatrixX S = MatrixX::Zero(chart->size(), count());
    Outcome outcome{MatrixX(measured_.rows(), measured_.cols()), {}};
    VectorX y(sensors());
    std::size_t sample = 0;
    for (std::size_t i = 0; i < observed_.inputs.size(); ++i) {
      const StepStatus status = step.update(state, observed_.inputs[i]);
      if (status != StepStatus::kOk) {
        return Error{"fit", "step " + std::to_string(i + 1) + ": " + std::string(describe(status))};
      }
      S = step.A() * S + step.P();
      state.block() = step.end().block();
      if (sample >= samples_.size() || samples_[sample] != i) continue;
      plant.true_signals(state, {y.data(), at(static_cast<int>(sensors()))});
      outcome.predicted.row(static_cast<Eigen::Index>(sample)) = y.transpose();
      Result<StateChart> here = StateChart::make(plant, state, names);
      if (!here) return here.error();
      MatrixX C, D;
      const std::string flaw = outputs.update(state, state, *here, forces_per_command(plant, step), C, D);
      if (!flaw.empty()) return Error{"fit", "step " + std::to_string(i + 1) + ": " + flaw};
      outcome.by_value.emplace_back(C * S);
      ++sample;
    }
    return outcome;
  }

  /// Each sensor by the spread of these numbers.
  void weigh(const MatrixX& numbers) {
    weights_ = VectorX::Zero(sensors());
    for (Eigen::Index s = 0; s < sensors(); ++s) {
      const double spread = spread_of(numbers, s);
      const double least = kLeastSpread * spread_of(measured_, s);
      if (std::isfinite(spread)) weights_[s] = 1.0 / std::max({spread, least, std::numeric_limits<double>::min()});
    }
  }

  /// Root of the mean square; not a number where there is none.
  double spread_of(const MatrixX& numbers, Eigen::Index sensor) const {
    double sum = 0.0;
    Eigen::Index seen = 0;
    for (Eigen::Index i = 0; i < numbers.rows(); ++i) {
      if (!std::isfinite(numbers(i, sensor)) || !is_counted(i, sensor)) continue;
      sum += numbers(i, sensor) * numbers(i, sensor);
      ++seen;
    }
    return seen > 0 ? std::sqrt(sum / static_cast<double>(seen)) : kNoNumber;
  }

  bool is_counted(Eigen::Index sample, Eigen::Index sensor) const { return std::isfinite(measured_(sample, sensor)); }

  double cost_of(const Outcome& outcome) const {
    double sum = 0.0;
    for (Eigen::Index i = 0; i < measured_.rows(); ++i) {
      for (Eigen::Index s = 0; s < sensors(); ++s) {
        if (!is_counted(i, s)) continue;
        const double missed = weights_[s] * (measured_(i, s) - outcome.predicted(i, s));
        sum += missed * missed;
      }
    }
    return sum;
  }

  /// Of relative changes of the values.
  void normal_equations(const Outcome& outcome, MatrixX& N, VectorX& right) const {
    N = MatrixX::Zero(count(), count());
    right = VectorX::Zero(count());
    VectorX row(count());
    for (Eigen::Index i = 0; i < measured_.rows(); ++i) {
      const MatrixX& slopes = outcome.by_value[at(static_cast<int>(i))];
      for (Eigen::Index s = 0; s < sensors(); ++s) {
        if (!is_counted(i, s)) continue;
        for (Eigen::Index p = 0; p < count(); ++p)
          row[p] = weights_[s] * slopes(s, p) * values_[at(static_cast<int>(p))].second;
        N.noalias() += row * row.transpose();
        right += row * (weights_[s] * (measured_(i, s) - outcome.predicted(i, s)));
      }
    }
  }

  Result<bool> minimise(Outcome& now) {
    double damping = kFirstDamping;
    result_.is_converged = false;
    MatrixX N;
    VectorX right;
    for (int i = 0; i < settings_.max_iterations && !result_.is_converged; ++i) {
      normal_equations(now, N, right);
      const double before = cost_of(now);
      ++result_.iterations;
      if (settings_.progress) settings_.progress(result_.iterations, before);
      bool helps = false;
      while (!helps && damping < kLargestDamping && !result_.is_converged) {
        MatrixX damped = N;
        damped.diagonal() *= 1.0 + damping;
        const VectorX change = shortest_solution(damped, right, 1e-14);
        result_.is_converged = change.lpNorm<Eigen::Infinity>() < kConverged;
        NamedValues moved = values_;
        for (Eigen::Index p = 0; p < count(); ++p)
          moved[at(static_cast<int>(p))].second *= std::max(0.1, 1.0 + change[p]);
        Result<Outcome> next = roll_out(moved);
        helps = next && cost_of(*next) < before;
        damping = helps ? std::max(1e-12, 0.1 * damping) : 10.0 * damping;
        if (!helps) continue;
        values_ = moved;
        now = std::move(next).value();
      }
      if (!helps) result_.is_converged = true;  // at the bottom as far as rounding shows it
    }
    return true;
  }

  /// Values with the deviations that follow from the spread of the residuals.
  void finish(const Outcome& now) {
    MatrixX N;
    VectorX right;
    normal_equations(now, N, right);
    MatrixX covariance(count(), count());
    for (Eigen::Index p = 0; p < count(); ++p) {
      covariance.col(p) = shortest_solution(N, VectorX(VectorX::Unit(count(), p)), 1e-14);
    }
    result_.correlation = MatrixX::Identity(count(), count());
    for (Eigen::Index p = 0; p < count(); ++p) {
      Identification::Parameter& parameter = result_.parameters[at(static_cast<int>(p))];
      parameter.value = values_[at(static_cast<int>(p))].second;
      const double variance = covariance(p, p);
      const bool is_seen = N(p, p) > 0.0 && variance > 0.0;
      parameter.deviation =
          is_seen ? std::abs(parameter.value) * std::sqrt(variance) : std::numeric_limits<double>::infinity();
      for (Eigen::Index q = 0; q < count(); ++q) {
        const double scale = std::sqrt(covariance(p, p) * covariance(q, q));
        if (p != q && scale > 0.0) result_.correlation(p, q) = covariance(p, q) / scale;
      }
    }
    result_.residuals = measured_ - now.predicted;
    for (Eigen::Index s = 0; s < sensors(); ++s) {
      result_.sensors[at(static_cast<int>(s))].before = spread_of(result_.residuals_before, s);
      result_.sensors[at(static_cast<int>(s))].after = spread_of(result_.residuals, s);
    }
    for (const std::size_t i : samples_) {
      result_.times_s.push_back(observed_.start.time_s() + static_cast<double>(i + 1) * spec_.dt_s);
    }
  }

  const Model& model_;
  const PlantSpec& spec_;
  const Observation& observed_;
  const IdentificationSettings& settings_;
  NamedValues values_;
  std::vector<std::size_t> samples_;  // steps
  MatrixX measured_;                  // sample by sensor; not a number: none
  VectorX weights_;
  Identification result_;
};

}  // namespace

Result<Identification> identify(const Model& model, const PlantSpec& spec, const Observation& observed,
                                const NamedValues& parameters, const IdentificationSettings& settings) {
  if (parameters.empty()) return Error{"fit", "no parameters are named"};
  if (observed.inputs.empty() || observed.inputs.size() != observed.readings.size()) {
    return Error{"fit", "there are no steps with readings"};
  }
  return Identifier(model, spec, observed, parameters, settings).run();
}

}  // namespace kinloop
