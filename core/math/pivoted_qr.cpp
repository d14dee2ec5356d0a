// Implements the factorization: reflections are kept below the diagonal with a leading entry of their own.
#include "core/math/pivoted_qr.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

/// Columns beyond this many that depend on the others have no say in satisfy_all(): what they would add is rounding,
/// and comparing them all would cost more than the factorization.
constexpr Eigen::Index kMaxDependent = 200;

}  // namespace

PivotedQr::PivotedQr(Eigen::Index rows, Eigen::Index columns)
    : a_(MatrixX::Zero(rows, columns)),
      scale_(VectorX::Zero(columns)),
      remaining2_(VectorX::Zero(columns)),
      length2_(VectorX::Zero(columns)),
      reference2_(VectorX::Ones(columns)),
      group2_(VectorX::Zero(columns)),
      grown_(VectorX::Zero(columns)),
      order_(at(columns)),
      active_(at(columns), 1),
      passed_over_(at(columns), 0),
      group_(at(columns)),
      T_(MatrixX::Zero(std::min(columns, kMaxDependent), std::min(rows, columns))),
      dependence_(MatrixX::Zero(T_.rows(), T_.rows())),
      picked_(VectorX::Zero(columns)),
      left_(VectorX::Zero(T_.rows())),
      dependent_(at(T_.rows())) {
  std::iota(group_.begin(), group_.end(), 0);
  std::iota(order_.begin(), order_.end(), 0);
}

/// Lengths of the columns that count, and of the longest of their groups.
void PivotedQr::measure() noexcept {
  group2_.setZero();
  for (int j = 0; j < columns(); ++j) {
    length2_[j] = counts(j) ? a_.col(j).squaredNorm() : 0.0;
    remaining2_[j] = length2_[j];
    double& longest2 = group2_[group_[at(pivot(j))]];
    longest2 = std::max(longest2, length2_[j]);
  }
  for (int j = 0; j < columns(); ++j) {
    const double longest2 = group2_[group_[at(pivot(j))]];
    reference2_[j] = longest2 > 0.0 ? longest2 : 1.0;
  }
  std::fill(passed_over_.begin(), passed_over_.end(), 0);
  smallest_share_ = 1.0;
  is_compared_ = false;
}

/// Turns column k into one entry on the diagonal and does the same to the columns after it.
void PivotedQr::reflect(int k) noexcept {
  const Eigen::Index rest = a_.rows() - k;
  auto v = a_.col(k).tail(rest);
  const double norm = v.norm();
  const double diagonal = v[0] > 0.0 ? -norm : norm;
  // v = x - diagonal e_1, scaled to a leading 1; H = 1 - scale v v^T.
  const double leading = v[0] - diagonal;
  if (rest > 1) v.tail(rest - 1) /= leading;
  v[0] = diagonal;
  scale_[k] = norm > 0.0 ? -leading / diagonal : 0.0;
  for (Eigen::Index j = k + 1; j < columns(); ++j) {
    if (!(length2_[j] > 0.0)) continue;
    auto c = a_.col(j).tail(rest);
    const double share = scale_[k] * (c[0] + v.tail(rest - 1).dot(c.tail(rest - 1)));
    c[0] -= share;
    c.tail(rest - 1) -= share * v.tail(rest - 1);
  }
}

void PivotedQr::factorize(double tolerance, const Expected& rank) noexcept {
  std::iota(order_.begin(), order_.end(), 0);
  measure();
  rank_ = 0;
  const int most = std::min(rank.most, static_cast<int>(std::min(a_.rows(), a_.cols())));
  for (int k = 0; k < most; ++k) {
    int best = -1;
    const double least = k < rank.usual ? tolerance : std::max(tolerance, kBeyondDoubt);
    double best_share2 = least * least;
    for (int j = k; j < columns(); ++j) {
      // The margin keeps columns that are equal but for rounding in their order.
      if (length2_[j] > 0.0 && share2(j) > best_share2 * (1.0 + 1e-9)) {
        best_share2 = share2(j);
        best = j;
      }
    }
    if (best < 0) break;
    if (best != k) {
      a_.col(k).swap(a_.col(best));
      std::swap(remaining2_[k], remaining2_[best]);
      std::swap(length2_[k], length2_[best]);
      std::swap(reference2_[k], reference2_[best]);
      std::swap(order_[at(k)], order_[at(best)]);
    }
    smallest_share_ = std::min(smallest_share_, std::sqrt(best_share2));
    reflect(k);
    ++rank_;
    // Computed again, not subtracted: near a singularity a difference would be rounding noise.
    for (int j = k + 1; j < columns(); ++j) {
      if (length2_[j] > 0.0) remaining2_[j] = a_.col(j).tail(a_.rows() - k - 1).squaredNorm();
    }
  }
  double left2 = 0.0;
  for (int j = rank_; j < columns(); ++j) {
    if (length2_[j] > 0.0) left2 = std::max(left2, share2(j));
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
  measure();
  for (int k = 0; k < rank_; ++k) {
    remaining2_[k] = a_.col(k).tail(a_.rows() - k).squaredNorm();
    const bool stands_out = share2(k) > tolerance * tolerance;
    smallest_share_ = std::min(smallest_share_, stands_out ? std::sqrt(share2(k)) : 0.0);
    passed_over_[at(k)] = stands_out ? 0 : 1;
    if (stands_out) {
      reflect(k);
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

/// T of the columns that count and are no pivots, R_12 = R_11 T^T, and the factor of 1 + T T^T.
void PivotedQr::compare_dependent() noexcept {
  is_compared_ = true;
  dependent_count_ = 0;
  for (int j = rank_; j < columns() && dependent_count_ < T_.rows(); ++j) {
    if (!(length2_[j] > 0.0)) continue;
    auto t = T_.row(dependent_count_);
    for (int k = rank_ - 1; k >= 0; --k) {
      double sum = a_(k, j);
      for (int i = k + 1; i < rank_; ++i) sum -= a_(k, i) * t[i];
      t[k] = passed_over_[at(k)] != 0 ? 0.0 : sum / a_(k, k);
    }
    dependent_[at(dependent_count_++)] = j;
  }
  // Well conditioned by construction, so that no pivot can fail.
  for (int i = 0; i < dependent_count_; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = T_.row(i).head(rank_).dot(T_.row(j).head(rank_)) + (i == j ? 1.0 : 0.0);
      for (int k = 0; k < j; ++k) sum -= dependence_(i, k) * dependence_(j, k);
      dependence_(i, j) = i == j ? std::sqrt(sum) : sum / dependence_(j, j);
    }
  }
}

/// R_11^T y = picked.
void PivotedQr::substitute(VectorX& y) const noexcept {
  for (int k = 0; k < rank_; ++k) {
    if (passed_over_[at(k)] != 0) continue;
    y[k] = (picked_[k] - a_.col(k).head(k).dot(y.head(k))) / a_(k, k);
  }
}

void PivotedQr::satisfy(const VectorX& b, VectorX& y) noexcept {
  for (int k = 0; k < rank_; ++k) picked_[k] = b[pivot(k)];
  substitute(y);
}

void PivotedQr::satisfy_all(const VectorX& b, VectorX& y) noexcept {
  reconciled(b);
  substitute(y);
}

const VectorX& PivotedQr::reconciled(const VectorX& b) noexcept {
  if (!is_compared_) compare_dependent();
  for (int k = 0; k < rank_; ++k) picked_[k] = b[pivot(k)];
  // z = R_11^T y_1 is sought with least |z - b_1|^2 + |T z - b_2|^2: z = b_1 + T^T (1 + T T^T)^-1 (b_2 - T b_1).
  for (int i = 0; i < dependent_count_; ++i) {
    double sum = b[pivot(dependent_[at(i)])] - T_.row(i).head(rank_).dot(picked_.head(rank_));
    for (int j = 0; j < i; ++j) sum -= dependence_(i, j) * left_[j];
    left_[i] = sum / dependence_(i, i);
  }
  for (int i = dependent_count_ - 1; i >= 0; --i) {
    for (int j = i + 1; j < dependent_count_; ++j) left_[i] -= dependence_(j, i) * left_[j];
    left_[i] /= dependence_(i, i);
  }
  for (int i = 0; i < dependent_count_; ++i) {
    for (int k = 0; k < rank_; ++k) picked_[k] += left_[i] * T_(i, k);
  }
  return picked_;
}

void PivotedQr::solve(VectorX& y) const noexcept {
  for (int k = rank_ - 1; k >= 0; --k) {
    y[k] = passed_over_[at(k)] != 0 ? 0.0 : y[k] / a_(k, k);
    y.head(k) -= y[k] * a_.col(k).head(k);
  }
}

}  // namespace kinloop
