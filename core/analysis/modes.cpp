// From eigenvalues of a step to frequencies and damping.
#include "core/analysis/modes.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinloop {
namespace {

/// Eigenvalues that several share (a free body, a line of delays) are found to a root of the rounding only.
constexpr double kStaysWithin = 1e-6;
constexpr double kGoneBelow = 1e-3;
constexpr int kMaxBalancingSweeps = 100;
constexpr double kWorthBalancing = 0.95;  // of what row and column sum to; less change ends the sweeps

/// A in other units of its states, so that rows and columns are of like size: eigenvalues are found to the rounding of
/// the largest entry, which beside pressures in Pa is no digit of a position's mode. Powers of two, so nothing is
/// rounded. Parlett and Reinsch, "Balancing a matrix for calculation of eigenvalues and eigenvectors", 1969.
MatrixX balanced(MatrixX A) {
  bool changes = true;
  for (int sweep = 0; changes && sweep < kMaxBalancingSweeps; ++sweep) {
    changes = false;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const double own = std::abs(A(i, i));
      const double column = A.col(i).lpNorm<1>() - own;
      const double row = A.row(i).lpNorm<1>() - own;
      if (!(column > 0.0) || !(row > 0.0) || !std::isfinite(column + row)) continue;
      const double scale = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (!(column * scale + row / scale < kWorthBalancing * (column + row))) continue;
      A.col(i) *= scale;
      A.row(i) /= scale;
      changes = true;
    }
  }
  return A;
}

Mode mode_of(const std::complex<double>& eigenvalue, double dt_s) {
  Mode mode{eigenvalue, ModeKind::kDecays, 0.0, 0.0, 0.0};
  const double size = std::abs(eigenvalue);
  if (std::abs(eigenvalue - 1.0) < kStaysWithin) {
    mode.kind = ModeKind::kStays;
    return mode;
  }
  if (size < kGoneBelow) {
    mode.kind = ModeKind::kGone;
    return mode;
  }
  const std::complex<double> s = std::log(eigenvalue) / dt_s;
  mode.frequency_Hz = std::abs(s.imag()) / (2.0 * std::numbers::pi);
  mode.damping = -s.real() / std::abs(s);
  mode.time_constant_s = -1.0 / s.real();
  if (eigenvalue.imag() != 0.0) {
    mode.kind = ModeKind::kSwings;
  } else if (size > 1.0) {
    mode.kind = ModeKind::kGrows;
  }
  return mode;
}

}  // namespace

std::vector<Mode> modes(const MatrixX& A, double dt_s) {
  std::vector<Mode> result;
  if (A.size() == 0) return result;
  const Eigen::EigenSolver<MatrixX> solver(balanced(A), false);
  for (const std::complex<double>& eigenvalue : solver.eigenvalues()) {
    const Mode mode = mode_of(eigenvalue, dt_s);
    if (mode.kind == ModeKind::kSwings && eigenvalue.imag() < 0.0) continue;  // of a pair
    result.push_back(mode);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Mode& a, const Mode& b) { return std::abs(a.eigenvalue) > std::abs(b.eigenvalue); });
  return result;
}

}  // namespace kinloop
