// Owns a QR factorization with column pivoting that never allocates and finds the rank in a scale-free way.
#pragma once

#include <limits>
#include <vector>

#include "core/base/at.hpp"
#include "core/spatial/types.hpp"

namespace kinloop {

/// W P = Q R by Householder reflections. Columns belong to groups, each judged against the longest column of its group:
/// the next pivot is the column of which the largest share of that length still stands out of the columns taken before;
/// a share below the tolerance is dependence. A column that passes through zero is thus small, whatever its direction:
/// judged by its own length its rounding errors would stand out. By default each column is a group of its own.
class PivotedQr {
 public:
  PivotedQr(Eigen::Index rows, Eigen::Index columns);

  /// To be filled before factorize(), which overwrites it.
  MatrixX& matrix() noexcept { return a_; }
  /// Columns that count; the others are taken for zero.
  std::vector<char>& active() noexcept { return active_; }
  /// Numbers of groups, from 0 to columns - 1.
  std::vector<int>& group() noexcept { return group_; }

  static constexpr int kAnyRank = std::numeric_limits<int>::max();
  /// What is expected of the rank.
  struct Expected {
    int most = kAnyRank;   // no more pivots than this
    int usual = kAnyRank;  // pivots beyond this must stand out beyond doubt, by kBeyondDoubt
  };
  static constexpr double kBeyondDoubt = 1e-6;

  /// Takes pivots while their share is above the tolerance.
  void factorize(double tolerance, const Expected& rank) noexcept;
  void factorize(double tolerance) noexcept { factorize(tolerance, Expected{}); }

  /// The same pivots again, of a matrix nearby: column pivot(j) is read from place j, for every j that counts. A pivot
  /// of which less than the tolerance stands out is passed over.
  void refactorize(double tolerance) noexcept;

  int columns() const noexcept { return static_cast<int>(a_.cols()); }
  int rank() const noexcept { return rank_; }
  /// Column that became pivot i; from `rank` on, those that became none.
  int pivot(int i) const noexcept { return order_[at(i)]; }
  /// Whether the column in place i counts.
  bool counts(int i) const noexcept { return active_[at(pivot(i))] != 0; }
  /// The smallest share that was accepted, 1 where there is none.
  double smallest_share() const noexcept { return smallest_share_; }
  /// About the smallest singular value of the columns that count, brought to length 1: how far they are from being
  /// dependent. At most a few times too large. Of the last factorize().
  double smallest_singular_value() const noexcept { return smallest_singular_value_; }
  /// The largest share that was left over.
  double largest_left() const noexcept { return largest_left_; }

  /// y = Q^T y, y = Q y.
  void apply_transposed(VectorX& y) const noexcept;
  void apply(VectorX& y) const noexcept;
  /// With y = Q^T x: changes the first entries so that W^T x = b for the pivots, b given per column; those that were
  /// passed over stay.
  void satisfy(const VectorX& b, VectorX& y) noexcept;
  /// The same for all columns: where those that depend on the pivots contradict them, the squares of what is left are
  /// least.
  void satisfy_all(const VectorX& b, VectorX& y) noexcept;
  /// What the pivots' values must then be, one per pivot; b given per column.
  const VectorX& reconciled(const VectorX& b) noexcept;
  /// First `rank` entries: R y = b in place.
  void solve(VectorX& y) const noexcept;

 private:
  void measure() noexcept;
  void reflect(int k) noexcept;
  void estimate_smallest() noexcept;
  void compare_dependent() noexcept;
  void substitute(VectorX& y) const noexcept;
  double share2(int j) const noexcept { return remaining2_[j] / reference2_[j]; }

  MatrixX a_;      // R above the diagonal, reflections below it
  VectorX scale_;  // of the reflections
  VectorX remaining2_, length2_, reference2_;
  VectorX group2_;
  VectorX grown_;  // of the estimate
  std::vector<int> order_;
  std::vector<char> active_, passed_over_;
  std::vector<int> group_;
  // Dependent columns in terms of the pivots, R_12 = R_11 T^T, and a Cholesky factor of 1 + T T^T.
  MatrixX T_, dependence_;
  VectorX picked_, left_;
  std::vector<int> dependent_;  // places
  int dependent_count_ = 0;
  bool is_compared_ = false;
  int rank_ = 0;
  double smallest_share_ = 1.0;
  double smallest_singular_value_ = 1.0;
  double largest_left_ = 0.0;
};

}  // namespace kinloop
