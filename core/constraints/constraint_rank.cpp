// Rank of the scaled constraints by complete pivoting.
#include "core/constraints/constraint_rank.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/at.hpp"
#include "core/constraints/rank_referee.hpp"
#include "core/constraints/row_measure.hpp"
#include "core/math/pivoted_qr.hpp"
#include "core/model/free_speeds.hpp"

namespace kinloop {
namespace {

/// "rotation about y" for a unit row along an axis, "" for a mixed one.
std::string direction_name(const SpatialVector& G) {
  constexpr double kAlong = 1e-6;
  const std::array<const char*, 3> axes = {"x", "y", "z"};
  const double angular = std::sqrt(dot(G.angular, G.angular));
  const double linear = std::sqrt(dot(G.linear, G.linear));
  for (int i = 0; i < 3; ++i) {
    const char* axis = axes[at(i)];
    if (linear < kAlong * angular && std::abs(G.angular[i]) > (1.0 - kAlong) * angular) {
      return std::string("rotation about ") + axis;
    }
    if (angular < kAlong * linear && std::abs(G.linear[i]) > (1.0 - kAlong) * linear) {
      return std::string("displacement along ") + axis;
    }
  }
  return {};
}

}  // namespace

ConstraintRank constraint_rank(const Model& model, const Workspace& ws, RankOf speeds) {
  const int rows = constraint_rows(model);
  ConstraintRank result;
  MatrixX C(rows, model.nv());
  constraint_matrix(model, ws, C);
  const RowMeasure measure(model);
  std::vector<int> movable(at(model.nv()));
  std::iota(movable.begin(), movable.end(), 0);
  if (speeds == RankOf::kFreeSpeeds) movable = free_speeds(model);
  PivotedQr qr(static_cast<Eigen::Index>(movable.size()), rows);
  qr.group() = measure.group;
  fill_scaled_rows(model, ws, movable, measure, C, qr);
  for (int r = 0; r < rows; ++r) {
    if (qr.active()[at(r)] == 0) result.largest_dropped = std::max(result.largest_dropped, qr.matrix().col(r).norm());
  }
  qr.factorize(kRankTolerance);
  result.rank = qr.rank();
  result.smallest_kept = result.rank > 0 ? qr.smallest_share() : 0.0;
  result.largest_dropped = std::max(result.largest_dropped, qr.largest_left());
  for (int i = qr.rank(); i < rows; ++i) result.redundant.push_back(qr.pivot(i));
  std::sort(result.redundant.begin(), result.redundant.end());
  return result;
}

std::vector<std::string> loop_constraint_names(const Model& model) {
  std::vector<std::string> names;
  for (const LoopJoint& loop : model.loops()) names.push_back(loop.name);
  for (const Coupling& coupling : model.couplings()) names.push_back(coupling.name);
  return names;
}

std::string constraint_name(const Model& model, int row) {
  for (const LoopJoint& loop : model.loops()) {
    const int rows = loop.directions->rows;
    if (row < rows) {
      const int drive = row - (rows - static_cast<int>(loop.drives.size()));
      if (drive >= 0) return "loop " + loop.name + ": motion of " + drive_name(loop, loop.drives[at(drive)]);
      std::string name = loop.constant ? direction_name(loop.directions->G[at(row)]) : "";
      if (name.empty()) name = "row " + std::to_string(row + 1) + " of " + std::to_string(rows);
      return "loop " + loop.name + ": " + name;
    }
    row -= rows;
  }
  return "coupling " + model.couplings()[at(row)].name;
}

}  // namespace kinloop
