// Owns the solution of S u = -s for the dependent unknowns: Gauss-Jordan elimination with complete pivoting.
#pragma once

#include <vector>

#include "core/spatial/types.hpp"

namespace kinloop {

/// What may become of an unknown.
enum class UnknownRole : char {
  kPhantom,      // dependent before all others, never independent: zero where nothing determines it
  kEither,       // as pivoting finds
  kIndependent,  // never dependent
};

/// u_D = T u_I - J s, with as many dependents as S has rank. Sized once, no allocation afterwards.
class ClosingSolve {
 public:
  /// All unknowns may be either.
  ClosingSolve(Eigen::Index most_rows, Eigen::Index columns);

  void set_role(Eigen::Index column, UnknownRole role) noexcept { roles_[static_cast<std::size_t>(column)] = role; }
  /// How many rows S has; all of them until this is called.
  void set_rows(Eigen::Index rows) noexcept { rows_ = rows; }
  /// S, to be filled before solve(), which overwrites it.
  auto S() noexcept { return W_.topLeftCorner(rows_, columns_); }
  /// One of its rows.
  double* S_row(Eigen::Index r) noexcept { return W_.data() + r * W_.cols(); }

  /// Finds pivots afresh; a pivot below the tolerance, against columns of size 1, is none.
  void solve(double tolerance) noexcept;
  /// The same pivots again, without those that are now below the tolerance.
  void solve_again(double tolerance) noexcept;

  /// Number of dependents.
  int rank() const noexcept { return static_cast<int>(used_.size()); }
  int dependent(int i) const noexcept { return used_[static_cast<std::size_t>(i)].column; }
  /// The independent unknowns, in order.
  const std::vector<int>& independent() const noexcept { return independent_; }
  /// T and J, row of dependent i.
  double T(int i, int unknown) const noexcept { return -W_(row(i), unknown); }
  double J(int i, Eigen::Index s) const noexcept { return W_(row(i), columns_ + s); }
  /// The smallest pivot that was accepted, 1 where there is none.
  double smallest_pivot() const noexcept { return smallest_; }

 private:
  struct Pivot {
    int row = 0, column = 0;
  };

  void start() noexcept;
  bool find(UnknownRole role, double tolerance, Pivot& best) const noexcept;
  void take(const Pivot& pivot) noexcept;
  void list_independent() noexcept;
  int row(int i) const noexcept { return used_[static_cast<std::size_t>(i)].row; }

  Eigen::Index rows_, columns_;
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> W_;  // [S | 1]
  std::vector<double> inverse_size_;                                          // of the columns of S
  std::vector<UnknownRole> roles_;
  std::vector<char> row_used_, column_used_;
  std::vector<Pivot> found_;  // by the last solve(), in order
  std::vector<Pivot> used_;   // those of them in use
  std::vector<int> independent_;
  double smallest_ = 1.0;
};

}  // namespace kinloop
