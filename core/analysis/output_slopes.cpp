// One column for each entry of x and each command that shows at once.
#include "core/analysis/output_slopes.hpp"

#include <algorithm>
#include <cmath>

#include "core/analysis/differences.hpp"
#include "core/base/at.hpp"
#include "core/derivatives/rotation_slopes.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/math/lu.hpp"

namespace kinloop {
namespace {

constexpr double kFirstMove = 0x1p-6;  // of an entry's size

}  // namespace

OutputSlopes::OutputSlopes(Plant& plant, const std::vector<char>& independent)
    : plant_(plant), model_(plant.model()), signals_(plant, independent) {
  for (std::size_t i = 0; i < plant.sensor_count(); ++i) {
    if (plant.signal(i).kind == SignalKind::kReaction) reactions_.push_back(static_cast<Eigen::Index>(i));
  }
}

/// One column for each entry of x at `end`, in the chart of `base`; the rest is zero.
bool OutputSlopes::place_changes(const State& base, const State& end, Eigen::Index columns) {
  const Eigen::Index nv = model_.nv();
  changes_ = {MatrixX::Zero(nv, columns), MatrixX::Zero(nv, columns),
              RowMatrix::Zero(end.device_state().size(), columns)};
  if (!signals_.update(end)) return false;
  const AccelerationSlopes& slopes = signals_.accelerations();
  const auto k = static_cast<Eigen::Index>(slopes.independents().size());
  const MatrixX moved = slopes.dofs();
  MatrixX faster = MatrixX::Zero(nv, k);
  if (model_.has_loops()) slopes.dependents(MatrixX(-slopes.loops().rate_by_q() * moved), faster);
  // By what of the coordinates a unit of each entry of x is made.
  MatrixX read = moved;
  VectorX increment = VectorX::Zero(nv);
  configuration_difference(model_, base.q().data(), end.q().data(), increment.data());
  difference_slopes(model_, increment.data(), read);
  LuFactors lu(k);
  for (Eigen::Index i = 0; i < k; ++i) lu.matrix().row(i) = read.row(slopes.independents()[at(i)]);
  MatrixX unit = MatrixX::Identity(k, k);
  if (k > 0 && !lu.factorize(k)) return false;
  lu.solve(unit);
  changes_.dq.leftCols(k) = moved * unit;
  changes_.dv.leftCols(k) = faster * unit;
  changes_.dv.middleCols(k, k) = slopes.dofs();
  Eigen::Index column = 2 * k;
  for (const DeviceStateEntry& entry : plant_.device_state_entries(end)) {
    changes_.dz(entry.at, column) = 1.0;
    if (entry.force_at >= 0) changes_.dz(entry.force_at, column) = entry.force_per_unit;
    ++column;
  }
  return true;
}

std::string OutputSlopes::update(const State& base, const State& end, StateChart& chart,
                                 const VectorX& force_per_command, MatrixX& C, MatrixX& D) {
  const auto count = static_cast<Eigen::Index>(plant_.sensor_count());
  const Eigen::Index states = chart.size();
  const Eigen::Index inputs = force_per_command.size();
  if (!place_changes(base, end, states + inputs)) return "a position that is nearly singular";
  const std::vector<int> direct = plant_.direct_forces();
  for (Eigen::Index j = 0; j < inputs; ++j) {
    if (direct[at(j)] >= 0) changes_.dz(direct[at(j)], states + j) = force_per_command[j];
  }
  MatrixX rows(count, states + inputs);
  if (count > 0 && !signals_.rows(end, changes_, rows)) return "signals that are not finite";
  C = rows.leftCols(states);
  D = rows.rightCols(inputs);
  return reactions_.empty() ? std::string() : differentiate_reactions(end, chart, force_per_command, C, D);
}

VectorX OutputSlopes::reactions(const State& state) {
  VectorX all(static_cast<Eigen::Index>(plant_.sensor_count()));
  plant_.true_signals(state, {all.data(), plant_.sensor_count()});
  VectorX shown(static_cast<Eigen::Index>(reactions_.size()));
  for (std::size_t i = 0; i < reactions_.size(); ++i) shown[static_cast<Eigen::Index>(i)] = all[reactions_[i]];
  return shown;
}

std::string OutputSlopes::differentiate_reactions(const State& end, StateChart& chart, const VectorX& force_per_command,
                                                  MatrixX& C, MatrixX& D) {
  const VectorX y = reactions(end);
  const VectorX x = chart.read(end);
  const VectorX sizes = chart.sizes(end);
  const std::vector<int> direct = plant_.direct_forces();
  const auto put = [&](const Result<Derivative>& column, Eigen::Index j, double share, MatrixX& matrix) {
    for (std::size_t i = 0; i < reactions_.size(); ++i) {
      matrix(reactions_[i], j) = share * column->value[static_cast<Eigen::Index>(i)];
    }
  };
  std::string refused = "sensors of reactions, which cannot be had beside this state";
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const MovedBy f = [&](double h) -> Result<VectorX> {
      VectorX moved = x;
      moved[j] += h;
      const Result<State> placed = chart.place(end, moved);
      if (!placed) return placed.error();
      return reactions(*placed);
    };
    const Result<Derivative> column = derivative(f, y, kFirstMove * sizes[j]);
    if (!column) return refused;
    put(column, j, 1.0, C);
  }
  for (Eigen::Index j = 0; j < force_per_command.size(); ++j) {
    const int place = direct[at(j)];
    if (place < 0) continue;
    const MovedBy f = [&](double h) -> Result<VectorX> {
      State state = end;
      state.device_state()[place] += h;
      return reactions(state);
    };
    const double size = std::max(1.0, std::abs(end.device_state()[place]));
    const Result<Derivative> column = derivative(f, y, kFirstMove * size);
    if (!column) return refused;
    put(column, j, force_per_command[j], D);
  }
  return {};
}

}  // namespace kinloop
