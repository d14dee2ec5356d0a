// Owns the solution of S u = -s for the dependent unknowns: Gauss-Jordan elimination with complete pivoting.
#pragma once

#include <vector>

#include "core/spatial/types.hpp"

namespace kinloop {

/// u_D = T u_I - J s, with as many dependents as S has rank. Sized once, no allocation afterwards.
class ClosingSolve {
 public:
  /// The first `preferred` ... `columns` - 1 unknowns become dependent before all others.
  ClosingSolve(Eigen::Index rows, Eigen::Index columns, Eigen::Index preferred);

  /// S, to be filled before solve(), which overwrites it.
  auto S() noexcept { return W_.leftCols(columns_); }

  /// Finds pivots afresh; a pivot below the tolerance, against columns of size 1, is none.
  void solve(double tolerance) noexcept;
  /// The same pivots again; one that is nothing is passed over, and its unknown becomes zero.
  void solve_again() noexcept;

  int rank() const noexcept { return rank_; }
  /// Unknown and row of pivot i.
  int dependent(int i) const noexcept { return pivots_[static_cast<std::size_t>(i)].column; }
  /// The unknowns that are left, in order.
  const std::vector<int>& independent() const noexcept { return independent_; }
  /// T and J, row of pivot i.
  double T(int i, int unknown) const noexcept { return i_zero(i) ? 0.0 : -W_(row(i), unknown) * ratio(unknown, i); }
  double J(int i, Eigen::Index s) const noexcept { return i_zero(i) ? 0.0 : W_(row(i), columns_ + s) * inverse_size(i); }
  /// The smallest pivot that was accepted, 1 where there is none.
  double smallest_pivot() const noexcept { return smallest_; }

 private:
  struct Pivot {
    int row = 0, column = 0;
    bool zero = false;
  };

  void scale() noexcept;
  void clear(const Pivot& pivot) noexcept;
  void list_independent() noexcept;
  bool find(Eigen::Index first, Eigen::Index last, double tolerance, Pivot& best) const noexcept;
  bool i_zero(int i) const noexcept { return pivots_[static_cast<std::size_t>(i)].zero; }
  int row(int i) const noexcept { return pivots_[static_cast<std::size_t>(i)].row; }
  double inverse_size(int i) const noexcept { return 1.0 / size_[dependent(i)]; }
  double ratio(int unknown, int i) const noexcept { return size_[unknown] / size_[dependent(i)]; }

  Eigen::Index columns_, preferred_;
  MatrixX W_;     // [S | 1]
  VectorX size_;  // of the columns of S
  std::vector<char> row_used_, column_used_;
  std::vector<Pivot> pivots_;
  std::vector<int> independent_;
  int rank_ = 0;
  double smallest_ = 1.0;
};

}  // namespace kinloop
