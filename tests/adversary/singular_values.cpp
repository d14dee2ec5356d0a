// Turns pairs of rows until all are orthogonal (Hestenes 1958).
#include "tests/adversary/singular_values.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/at.hpp"

namespace kinloop::adversary {

SingularValues singular_values(const MatrixXR& A) {
  constexpr int kMaxSweeps = 60;
  const Real tolerance = 4 * std::numeric_limits<Real>::epsilon();
  const Eigen::Index m = std::min(A.rows(), A.cols());
  if (m == 0) return {VectorXR(0), MatrixXR(A.rows(), 0), MatrixXR(A.cols(), 0)};
  // Rows of a triangular factor with pivots are nearly orthogonal already: a few sweeps are left.
  const Eigen::ColPivHouseholderQR<MatrixXR> qr(A);
  const MatrixXR R =
      MatrixXR(qr.matrixQR().topRows(m).template triangularView<Eigen::Upper>()) * qr.colsPermutation().transpose();
  MatrixXR W = R.transpose();  // columns are turned
  MatrixXR U = qr.householderQ() * MatrixXR::Identity(A.rows(), m);
  const Real noise = W.squaredNorm() * std::pow(std::numeric_limits<Real>::epsilon(), Real(2));
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool turned = false;
    for (Eigen::Index i = 0; i < m; ++i) {
      for (Eigen::Index j = i + 1; j < m; ++j) {
        const Real a = W.col(i).squaredNorm(), b = W.col(j).squaredNorm(), c = W.col(i).dot(W.col(j));
        if (b <= noise || a <= noise || std::abs(c) <= tolerance * std::sqrt(a * b)) continue;
        turned = true;
        const Real zeta = (b - a) / (2 * c);
        const Real t = (zeta >= 0 ? 1 : -1) / (std::abs(zeta) + std::hypot(Real(1), zeta));
        const Real cs = 1 / std::hypot(Real(1), t), sn = cs * t;
        const auto turn = [&](MatrixXR& X) {
          const VectorXR x = X.col(i);
          X.col(i) = cs * x - sn * X.col(j);
          X.col(j) = sn * x + cs * X.col(j);
        };
        turn(W);
        turn(U);
      }
    }
    if (!turned) break;
  }
  std::vector<Eigen::Index> order(at(m));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const VectorXR length = W.colwise().norm();
  std::sort(order.begin(), order.end(), [&](Eigen::Index i, Eigen::Index j) { return length[i] > length[j]; });
  SingularValues out{VectorXR(m), MatrixXR(A.rows(), m), MatrixXR::Zero(A.cols(), m)};
  for (Eigen::Index k = 0; k < m; ++k) {
    const Eigen::Index from = order[at(k)];
    out.sigma[k] = length[from];
    out.U.col(k) = U.col(from);
    if (length[from] > 0) out.V.col(k) = W.col(from) / length[from];
  }
  return out;
}

MatrixXR complement(const MatrixXR& V, Eigen::Index count) {
  const Eigen::Index n = V.rows();
  if (count == 0) return MatrixXR::Identity(n, n);
  const MatrixXR Q = Eigen::HouseholderQR<MatrixXR>(V.leftCols(count)).householderQ() * MatrixXR::Identity(n, n);
  return Q.rightCols(n - count);
}

Equilibration equilibrate(const MatrixXR& bound) {
  constexpr Real kNothing = 1e-12L;  // an arm of rounding: a joint where its loop is closed
  Equilibration s{VectorXR::Ones(bound.rows()), VectorXR::Ones(bound.cols())};
  const MatrixXR whole = (bound.array() > kNothing).select(bound, Real(0));
  for (int pass = 0; pass < 8; ++pass) {
    const MatrixXR B = s.row.asDiagonal() * whole * s.column.asDiagonal();
    for (Eigen::Index i = 0; i < B.rows(); ++i) {
      const Real most = B.cols() > 0 ? B.row(i).maxCoeff() : Real(0);
      if (most > 0) s.row[i] /= std::sqrt(most);
    }
    for (Eigen::Index j = 0; j < B.cols(); ++j) {
      const Real most = B.rows() > 0 ? B.col(j).maxCoeff() : Real(0);
      if (most > 0) s.column[j] /= std::sqrt(most);
    }
  }
  return s;
}

}  // namespace kinloop::adversary
