// Scales C and counts its pivots.
#include "core/loops/constraint_rank.hpp"

#include <Eigen/QR>
#include <cmath>

namespace kinloop {

ConstraintRank constraint_rank(const Model& model, const Workspace& ws, const Constraints& constraints, RankOf speeds) {
  MatrixX scaled = constraints.C;
  for (int i = 0; i < model.nv(); ++i) {
    if (speeds == RankOf::kFreeSpeeds && model.coordinate(i).motion >= 0) {
      scaled.col(i).setZero();
      continue;
    }
    // The unit of a speed (rad/s, m/s, a cam's parameter per second) must not matter.
    const Vec3& Hw = ws.Hw[static_cast<std::size_t>(i)];
    const Vec3 Hv = (1.0 / constraints.length_m) * ws.Hv[static_cast<std::size_t>(i)];
    const double size = std::sqrt(dot(Hw, Hw) + dot(Hv, Hv));
    if (size > 0.0) scaled.col(i) /= size;
  }
  // Rows of closures have size 1 by construction; normalising them would only blow up those that are zero.
  for (Eigen::Index row = scaled.rows() - static_cast<Eigen::Index>(model.couplings().size()); row < scaled.rows();
       ++row) {
    const double size = scaled.row(row).norm();
    if (size > 0.0) scaled.row(row) /= size;
  }

  ConstraintRank result;
  if (scaled.size() == 0) return result;
  const Eigen::ColPivHouseholderQR<MatrixX> qr(scaled);
  const double largest = std::abs(qr.matrixQR()(0, 0));
  if (!(largest > 0.0)) return result;
  const Eigen::Index count = std::min(scaled.rows(), scaled.cols());
  for (Eigen::Index i = 0; i < count; ++i) {
    const double pivot = std::abs(qr.matrixQR()(i, i)) / largest;
    if (pivot > kRankTolerance) {
      ++result.rank;
      result.smallest_kept = pivot;
    } else {
      result.largest_dropped = std::max(result.largest_dropped, pivot);
    }
  }
  return result;
}

}  // namespace kinloop
