// Owns a QR factorization with column pivoting that never allocates and finds the rank in a scale-free way.
#pragma once

#include <vector>

#include "core/spatial/types.hpp"

namespace kinloop {

/// W P = Q R by Householder reflections. Each column is judged against its own length: the next pivot is the column of
/// which the largest share still stands out of the columns taken before; a share below the tolerance is dependence.
class PivotedQr {
 public:
  PivotedQr(Eigen::Index rows, Eigen::Index columns);

  /// To be filled before factorize(), which overwrites it.
  MatrixX& matrix() noexcept { return a_; }
  /// Columns that count; the others are taken for zero.
  std::vector<char>& active() noexcept { return active_; }

  void factorize(double tolerance) noexcept;

  /// The same pivots again: only the columns pivot(0) ... pivot(rank - 1) are read, from places 0 ... rank - 1. One of
  /// which less than the tolerance stands out is passed over.
  void refactorize(double tolerance) noexcept;

  int rank() const noexcept { return rank_; }
  /// Column that became pivot i; from `rank` on, those that became none.
  int pivot(int i) const noexcept { return order_[static_cast<std::size_t>(i)]; }
  /// The smallest share that was accepted, 1 where there is none.
  double smallest_share() const noexcept { return smallest_share_; }
  /// About the smallest singular value of the columns that count, brought to length 1: how far they are from being
  /// dependent. Shares do not tell: many columns of which each stands out well may be nearly dependent together.
  double smallest_singular_value() const noexcept { return smallest_singular_value_; }
  /// The largest share that was left over.
  double largest_left() const noexcept { return largest_left_; }

  /// y = Q^T y, y = Q y.
  void apply_transposed(VectorX& y) const noexcept;
  void apply(VectorX& y) const noexcept;
  /// With y = Q^T x: changes the first entries so that W^T x = b, b given per pivot; those that were passed over stay.
  void satisfy(const VectorX& b, VectorX& y) const noexcept;
  /// First `rank` entries: R y = b in place.
  void solve(VectorX& y) const noexcept;

 private:
  void reflect(int k, int columns) noexcept;
  void estimate_smallest() noexcept;

  MatrixX a_;      // R above the diagonal, reflections below it
  VectorX scale_;  // of the reflections
  VectorX remaining2_, length2_;
  VectorX grown_;  // of the estimate
  std::vector<int> order_;
  std::vector<char> active_, passed_over_;
  int rank_ = 0;
  double smallest_share_ = 1.0;
  double smallest_singular_value_ = 1.0;
  double largest_left_ = 0.0;
};

}  // namespace kinloop
