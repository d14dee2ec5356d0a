// Implements both forms of the criterion.
#include "core/constraints/projective_criterion.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/math/cholesky.hpp"

namespace kinloop {

ProjectiveCriterion::ProjectiveCriterion(Eigen::Index n, Eigen::Index rows)
    : L_(MatrixX::Zero(n, n)),
      mobility_(VectorX::Zero(n)),
      K_(MatrixX::Zero(n, n)),
      G_(MatrixX::Zero(n, n)),
      qr_(n, rows),
      rows_(MatrixX::Zero(n, n)),
      work_(VectorX::Zero(n)) {}

bool ProjectiveCriterion::set_inertia(const MatrixX& M) noexcept {
  L_ = M;
  if (!factorize_cholesky(L_)) return false;
  for (Eigen::Index i = 0; i < mobility_.size(); ++i) {
    work_.setZero();
    work_[i] = 1.0;
    solve_lower(L_, work_);
    mobility_[i] = work_.squaredNorm();
    rows_.col(i) = work_;  // L^-1 e_i
  }
  return true;
}

void ProjectiveCriterion::use_constraints(const MatrixX& B, Eigen::Index r) noexcept {
  qr_.matrix().setZero();
  for (Eigen::Index c = 0; c < qr_.matrix().cols(); ++c) {
    qr_.active()[at(c)] = c < r ? 1 : 0;
    if (c >= r) continue;
    work_ = B.row(c).transpose();
    solve_lower(L_, work_);
    qr_.matrix().col(c) = work_;
  }
  qr_.factorize(kRankTolerance);
  for (Eigen::Index i = 0; i < rows_.cols(); ++i) {
    work_ = rows_.col(i);
    qr_.apply_transposed(work_);
    work_.head(qr_.rank()).setZero();
    rows_.col(i) = work_;
  }
  K_.noalias() = rows_.transpose().lazyProduct(rows_);
}

void ProjectiveCriterion::use_dofs(const MatrixX& D, const MatrixX& L, Eigen::Index k) noexcept {
  for (Eigen::Index i = 0; i < rows_.cols(); ++i) {
    for (Eigen::Index a = 0; a < k; ++a) {
      double sum = D(a, i);
      for (Eigen::Index b = 0; b < a; ++b) sum -= L(a, b) * rows_(b, i);
      rows_(a, i) = sum / L(a, a);
    }
  }
  K_.noalias() = rows_.topRows(k).transpose().lazyProduct(rows_.topRows(k));
}

double ProjectiveCriterion::choose(int k, std::vector<char>& independent) noexcept {
  const Eigen::Index n = K_.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < n; ++i) G_(i, j) = K_(i, j) / std::sqrt(mobility_[i] * mobility_[j]);
  }
  std::fill(independent.begin(), independent.end(), 0);
  double quality = 1.0;
  for (int pick = 0; pick < k; ++pick) {
    Eigen::Index best = -1;
    double largest = -1.0;
    for (Eigen::Index i = 0; i < n; ++i) {
      // The margin keeps coordinates that are equal but for rounding in their order.
      if (independent[at(i)] == 0 && G_(i, i) > largest * (1.0 + 1e-9)) {
        largest = G_(i, i);
        best = i;
      }
    }
    if (best < 0) return 0.0;
    independent[at(best)] = 1;
    quality *= largest;
    if (!(largest > 0.0)) continue;
    work_ = G_.col(best) / std::sqrt(largest);
    for (Eigen::Index j = 0; j < n; ++j) G_.col(j) -= work_[j] * work_;
  }
  return quality;
}

double ProjectiveCriterion::quality(const std::vector<char>& independent, const MatrixX& L) const noexcept {
  double result = 1.0;
  Eigen::Index a = 0;
  for (std::size_t i = 0; i < independent.size(); ++i) {
    if (independent[i] == 0) continue;
    result /= mobility_[static_cast<Eigen::Index>(i)] * L(a, a) * L(a, a);
    ++a;
  }
  return result;
}

}  // namespace kinloop
