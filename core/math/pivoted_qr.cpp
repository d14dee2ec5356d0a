// Implements the factorization: reflections are kept below the diagonal with a leading entry of their own.
#include "core/math/pivoted_qr.hpp"

#include <algorithm>
#include <cmath>

namespace kinloop {

PivotedQr::PivotedQr(Eigen::Index rows, Eigen::Index columns)
    : a_(MatrixX::Zero(rows, columns)),
      scale_(VectorX::Zero(columns)),
      remaining2_(VectorX::Zero(columns)),
      length2_(VectorX::Zero(columns)),
      grown_(VectorX::Zero(columns)),
      order_(static_cast<std::size_t>(columns)),
      active_(static_cast<std::size_t>(columns), 1),
      passed_over_(static_cast<std::size_t>(columns), 0) {}

/// Turns column k into one entry on the diagonal and does the same to the columns after it.
void PivotedQr::reflect(int k, int columns) noexcept {
  const Eigen::Index rest = a_.rows() - k;
  auto v = a_.col(k).tail(rest);
  const double norm = v.norm();
  const double diagonal = v[0] > 0.0 ? -norm : norm;
  // v = x - diagonal e_1, scaled to a leading 1; H = 1 - scale v v^T.
  const double leading = v[0] - diagonal;
  if (rest > 1) v.tail(rest - 1) /= leading;
  v[0] = diagonal;
  scale_[k] = norm > 0.0 ? -leading / diagonal : 0.0;
  for (Eigen::Index j = k + 1; j < columns; ++j) {
    if (!(length2_[j] > 0.0)) continue;
    auto c = a_.col(j).tail(rest);
    const double share = scale_[k] * (c[0] + v.tail(rest - 1).dot(c.tail(rest - 1)));
    c[0] -= share;
    c.tail(rest - 1) -= share * v.tail(rest - 1);
  }
}

void PivotedQr::factorize(double tolerance) noexcept {
  const auto columns = static_cast<int>(a_.cols());
  for (int j = 0; j < columns; ++j) {
    order_[static_cast<std::size_t>(j)] = j;
    length2_[j] = active_[static_cast<std::size_t>(j)] != 0 ? a_.col(j).squaredNorm() : 0.0;
    remaining2_[j] = length2_[j];
  }
  std::fill(passed_over_.begin(), passed_over_.end(), 0);
  rank_ = 0;
  smallest_share_ = 1.0;
  const auto most = static_cast<int>(std::min(a_.rows(), a_.cols()));
  for (int k = 0; k < most; ++k) {
    int best = -1;
    double best_share2 = tolerance * tolerance;
    for (int j = k; j < columns; ++j) {
      if (!(length2_[j] > 0.0)) continue;
      const double share2 = remaining2_[j] / length2_[j];
      // The margin keeps columns that are equal but for rounding in their order.
      if (share2 > best_share2 * (1.0 + 1e-9)) {
        best_share2 = share2;
        best = j;
      }
    }
    if (best < 0) break;
    if (best != k) {
      a_.col(k).swap(a_.col(best));
      std::swap(remaining2_[k], remaining2_[best]);
      std::swap(length2_[k], length2_[best]);
      std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(best)]);
    }
    smallest_share_ = std::min(smallest_share_, std::sqrt(best_share2));
    reflect(k, columns);
    ++rank_;
    // Measured anew, not subtracted: near a singularity a difference would be rounding noise.
    for (int j = k + 1; j < columns; ++j) {
      if (length2_[j] > 0.0) remaining2_[j] = a_.col(j).tail(a_.rows() - k - 1).squaredNorm();
    }
  }
  double left2 = 0.0;
  for (int j = rank_; j < columns; ++j) {
    if (length2_[j] > 0.0) left2 = std::max(left2, remaining2_[j] / length2_[j]);
  }
  largest_left_ = std::sqrt(left2);
  estimate_smallest();
}

/// A vector of entries +-1, divided by R^T with signs that make the result as long as they can: its growth is at most
/// the inverse of the smallest singular value and rarely much less.
void PivotedQr::estimate_smallest() noexcept {
  double grown2 = 0.0;
  for (int k = 0; k < rank_; ++k) {
    const double before = a_.col(k).head(k).dot(grown_.head(k));
    const double length = std::sqrt(length2_[k]);
    grown_[k] = (before > 0.0 ? -length - before : length - before) / a_(k, k);
    grown2 += grown_[k] * grown_[k];
  }
  smallest_singular_value_ = rank_ > 0 ? std::sqrt(rank_ / grown2) : 1.0;
}

void PivotedQr::refactorize(double tolerance) noexcept {
  for (int k = 0; k < rank_; ++k) length2_[k] = a_.col(k).squaredNorm();
  smallest_share_ = 1.0;
  for (int k = 0; k < rank_; ++k) {
    const double left2 = a_.col(k).tail(a_.rows() - k).squaredNorm();
    const double share2 = length2_[k] > 0.0 ? left2 / length2_[k] : 0.0;
    passed_over_[static_cast<std::size_t>(k)] = share2 > tolerance * tolerance ? 0 : 1;
    if (share2 > tolerance * tolerance) {
      smallest_share_ = std::min(smallest_share_, std::sqrt(share2));
      reflect(k, rank_);
    } else {  // its reflection is the identity
      a_.col(k).tail(a_.rows() - k).setZero();
      scale_[k] = 0.0;
    }
  }
}

void PivotedQr::apply_transposed(VectorX& y) const noexcept {
  for (int k = 0; k < rank_; ++k) {
    const Eigen::Index rest = a_.rows() - k - 1;
    const double share = scale_[k] * (y[k] + a_.col(k).tail(rest).dot(y.tail(rest)));
    y[k] -= share;
    y.tail(rest) -= share * a_.col(k).tail(rest);
  }
}

void PivotedQr::apply(VectorX& y) const noexcept {
  for (int k = rank_ - 1; k >= 0; --k) {
    const Eigen::Index rest = a_.rows() - k - 1;
    const double share = scale_[k] * (y[k] + a_.col(k).tail(rest).dot(y.tail(rest)));
    y[k] -= share;
    y.tail(rest) -= share * a_.col(k).tail(rest);
  }
}

void PivotedQr::satisfy(const VectorX& b, VectorX& y) const noexcept {
  for (int k = 0; k < rank_; ++k) {
    if (passed_over_[static_cast<std::size_t>(k)] != 0) continue;
    y[k] = (b[k] - a_.col(k).head(k).dot(y.head(k))) / a_(k, k);
  }
}

void PivotedQr::solve(VectorX& y) const noexcept {
  for (int k = rank_ - 1; k >= 0; --k) {
    y[k] /= a_(k, k);
    y.head(k) -= y[k] * a_.col(k).head(k);
  }
}

}  // namespace kinloop
