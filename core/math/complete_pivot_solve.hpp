// Owns the solution of S u = -s for the dependent unknowns: Gauss-Jordan elimination with complete pivoting.
//
// This is the hot path of closed loops, and most systems are tiny: sizes may be known to the compiler, and rows of
// [S | 1] are padded to whole vectors, so that a row operation on a loop in a plane is one instruction.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/math/small_array.hpp"
#include "core/spatial/vec3.hpp"

namespace kinloop {

/// What may become of an unknown.
enum class UnknownRole : char {
  kPhantom,      // dependent before all others, never independent: zero where nothing determines it
  kEither,       // as pivoting finds
  kIndependent,  // never dependent
};

/// u_D = T u_I - J s, with as many dependents as S has rank. Sized once, no allocation afterwards.
template <int kRows, int kColumns>
class SizedCompletePivotSolve {
 public:
  /// All unknowns may be either.
  SizedCompletePivotSolve(int max_rows, int columns)
      : rows_(max_rows),
        columns_(columns),
        width_(padded(columns + max_rows)),
        W_(max_rows * width()),
        inverse_size_(columns),
        measure2_(max_rows),
        roles_(columns),
        open_rows_(max_rows),
        open_columns_(columns),
        found_(std::min(max_rows, columns)),
        used_(std::min(max_rows, columns)),
        independent_(columns),
        independents_(columns) {
    for (UnknownRole& role : roles_) role = UnknownRole::kEither;
    for (double& inverse_size : inverse_size_) inverse_size = 1.0;
    for (double& measure2 : measure2_) measure2 = 1.0;
    for (int c = 0; c < columns; ++c) independent_[c] = c;
  }

  void set_role(int column, UnknownRole role) noexcept {
    phantoms_ += (role == UnknownRole::kPhantom ? 1 : 0) - (roles_[column] == UnknownRole::kPhantom ? 1 : 0);
    roles_[column] = role;
  }
  /// How much a unit of an unknown moves, so that its unit does not matter: 1 until this is called. Not the size of its
  /// column of S: an unknown that happens to move no row must not be taken for one that does.
  void set_size(int column, double size) noexcept { inverse_size_[column] = 1.0 / size; }
  /// What a row is divided by where reconcile() compares it with others: 1 until this is called. Pivots know nothing of
  /// it.
  void set_measure(int r, double measure) noexcept { measure2_[r] = measure * measure; }
  /// How many rows and columns S has: as many as there is room for until these are called.
  void set_rows(int rows) noexcept { rows_ = rows; }
  void set_columns(int columns) noexcept { columns_ = columns; }
  /// S becomes zero. Best some time before solve(): a vector that was just written number by number is slow to read.
  void clear() noexcept {
    for (int r = 0; r < rows(); ++r) {
      double* const entries = row(r);
      for (int c = 0; c < width(); ++c) entries[c] = c == columns() + r ? 1.0 : 0.0;
    }
  }
  /// Row of S, `columns` numbers: to be filled between clear() and solve(), which overwrites it.
  double* row(int r) noexcept { return &W_[r * width()]; }

  /// Finds pivots afresh; a pivot below the tolerance, for an unknown of size 1, is none.
  void solve(double tolerance) noexcept {
    start();
    take_all(tolerance, tolerance);
    keep();
  }

  // The same step by step: start(), then take_all(), set_aside() and take_all() again, at last keep() or keep_held().

  void start() noexcept {
    for (int r = 0; r < rows(); ++r) open_rows_[r] = r;
    for (int c = 0; c < columns(); ++c) open_columns_[c] = c;
    open_row_count_ = rows();
    open_column_count_ = columns();
    rank_ = 0;
    smallest_ = 1.0;
  }
  /// Pivots among the open rows, each with the tolerance of its unknown, up to the given rank.
  void take_all(double of_phantoms, double of_others, int most = std::numeric_limits<int>::max()) noexcept {
    Pivot pivot;
    while (open_row_count_ > 0 && open_column_count_ > 0 && rank_ < most) {
      const bool phantom = phantoms_ > 0 && find(UnknownRole::kPhantom, of_phantoms, pivot);
      if (!phantom && !find(UnknownRole::kEither, of_others, pivot)) break;
      take(pivot);
    }
  }
  int open_rows() const noexcept { return open_row_count_; }
  int open_row(int i) const noexcept { return open_rows_[i]; }
  /// The largest pivot that an open row offers.
  double share_of(int r) const noexcept {
    double largest = 0.0;
    for (int i = 0; i < open_column_count_; ++i) largest = std::max(largest, share(r, open_columns_[i]));
    return largest;
  }
  /// The row becomes none of the pivots'; others are still subtracted from it.
  void set_aside(int r) noexcept { remove(r, open_rows_, open_row_count_); }
  /// What is left of a row without a pivot: of S, and as a sum of the rows that S had.
  double left(int r, int unknown) const noexcept { return W_[r * width() + unknown]; }
  double summed(int r, int s) const noexcept { return W_[r * width() + columns() + s]; }
  double size_of(int column) const noexcept { return 1.0 / inverse_size_[column]; }
  /// These pivots are those of solve_again() and solve_held().
  void keep() noexcept {
    for (int i = 0; i < rank_; ++i) found_[i] = used_[i];
    found_count_ = rank_;
    found_smallest_ = smallest_;
    list_independent();
  }
  void keep_held() noexcept { list_independent(); }
  /// How many pivots were kept.
  int kept() const noexcept { return found_count_; }

  /// The same pivots again, at a state nearby. False where one of them has shrunk so far, against the smallest that the
  /// last solve() found, that as many should be sought afresh: S is to be filled again for solve_held().
  bool solve_again(double weakened, double tolerance) noexcept {
    start();
    for (int i = 0; i < found_count_; ++i) {
      if (!(share(found_[i].row, found_[i].column) > std::max(tolerance, weakened * found_smallest_))) return false;
      take(found_[i]);
    }
    list_independent();
    return true;
  }

  /// As many pivots as the last solve() found, sought afresh; its pivots stay those of solve_again().
  void solve_held(double tolerance) noexcept {
    start();
    take_all(tolerance, tolerance, found_count_);
    keep_held();
  }

  /// Rows without a pivot depend on the others. Where they contradict them, J s is from now on what leaves the least
  /// sum of squares of all rows, each divided by its measure; for rows that agree it is as before. With t the open rows
  /// in terms of the pivots' (left = row - t pivots) and V the squares of the measures, the pivots' rows become not -s_1
  /// but
  ///
  ///   z = -s_1 - V_1 t^T (V_2 + t V_1 t^T)^-1 (s_2 - t s_1)
  ///
  /// The matrix is well conditioned whatever t, and nothing happens where every row has a pivot.
  void reconcile() noexcept {
    for (int i = 0; i < open_row_count_; ++i) factorize_dependence(i);
    if (open_row_count_ == 0) return;
    for (int d = 0; d < rank_; ++d) share_with_open_rows(&row(used_[d].row)[columns()]);
  }

  /// Number of dependents.
  int rank() const noexcept { return rank_; }
  int dependent(int i) const noexcept { return used_[i].column; }
  /// The independent unknowns, in order.
  int independents() const noexcept { return independents_; }
  int independent(int i) const noexcept { return independent_[i]; }
  /// T and J, row of dependent i.
  double T(int i, int unknown) const noexcept { return -solved(i)[unknown]; }
  double J(int i, int s) const noexcept { return solved(i)[columns() + s]; }
  /// The smallest pivot that was accepted, 1 where there is none.
  double smallest_pivot() const noexcept { return smallest_; }

 private:
  struct Pivot {
    int row = 0, column = 0;
  };

  static constexpr int padded(int size) noexcept { return (size + 3) / 4 * 4; }
  static constexpr int kMax = kRows < 0 || kColumns < 0 ? kAnySize : std::min(kRows, kColumns);
  static constexpr int kWidth = kRows < 0 || kColumns < 0 ? kAnySize : padded(kRows + kColumns);

  int columns() const noexcept {
    if constexpr (kColumns >= 0) return kColumns;
    return columns_;
  }
  int rows() const noexcept {
    if constexpr (kRows >= 0) return kRows;
    return rows_;
  }
  int width() const noexcept {
    if constexpr (kWidth >= 0) return kWidth;
    return width_;
  }

  static Lanes4 load(const double* x) noexcept {
    Lanes4 value;
    std::memcpy(&value, x, sizeof value);
    return value;
  }
  static void store(double* x, Lanes4 value) noexcept { std::memcpy(x, &value, sizeof value); }

  const double* solved(int i) const noexcept { return &W_[used_[i].row * width()]; }
  double share(int r, int c) const noexcept { return std::abs(W_[r * width() + c]) * inverse_size_[c]; }

  bool find(UnknownRole role, double tolerance, Pivot& best) const noexcept {
    double largest = tolerance;
    bool found = false;
    for (int i = 0; i < open_column_count_; ++i) {
      const int c = open_columns_[i];
      if (roles_[c] != role) continue;
      for (int k = 0; k < open_row_count_; ++k) {
        const double size = share(open_rows_[k], c);
        // The margin keeps entries that are equal but for rounding in their order.
        if (size > largest * (1.0 + 1e-9)) {
          largest = size;
          best = {open_rows_[k], c};
          found = true;
        }
      }
    }
    return found;
  }

  /// Makes the pivot's column a unit vector; nobody reads it any more, so it is so to rounding only.
  void take(const Pivot& pivot) noexcept {
    double* const pivot_row = row(pivot.row);
    const double value = pivot_row[pivot.column];
    smallest_ = std::min(smallest_, share(pivot.row, pivot.column));
    const double inverse = 1.0 / value;
    const int end = columns() + rows();
    for (int b = 0; b < end; b += 4) store(pivot_row + b, load(pivot_row + b) * inverse);
    for (int r = 0; r < rows(); ++r) {
      if (r == pivot.row) continue;
      double* const other = row(r);
      const double factor = other[pivot.column];
      for (int b = 0; b < end; b += 4) store(other + b, load(other + b) - factor * load(pivot_row + b));
    }
    remove(pivot.row, open_rows_, open_row_count_);
    remove(pivot.column, open_columns_, open_column_count_);
    used_[rank_++] = pivot;
  }

  /// -t: what was subtracted from open row i of the rows that have pivots.
  double subtracted(int i, int pivot) const noexcept { return summed(open_rows_[i], used_[pivot].row); }
  /// V_2 + t V_1 t^T over the open rows, then its Cholesky factor: where the unit matrix of their own sums is.
  double& dependence(int i, int j) noexcept { return row(open_rows_[i])[columns() + open_rows_[j]]; }

  void factorize_dependence(int i) noexcept {
    for (int j = 0; j <= i; ++j) {
      double sum = i == j ? measure2_[open_rows_[i]] : 0.0;
      for (int p = 0; p < rank_; ++p) sum += measure2_[used_[p].row] * subtracted(i, p) * subtracted(j, p);
      for (int k = 0; k < j; ++k) sum -= dependence(i, k) * dependence(j, k);
      dependence(i, j) = i == j ? std::sqrt(sum) : sum / dependence(j, j);
    }
  }

  /// A row of J, in place: J_1 becomes J_1 - b t and J_2, which is zero, becomes b = J_1 V_1 t^T (V_2 + t V_1 t^T)^-1.
  void share_with_open_rows(double* J) noexcept {
    const auto b = [&](int i) -> double& { return J[open_rows_[i]]; };
    for (int i = 0; i < open_row_count_; ++i) {
      double sum = 0.0;
      for (int p = 0; p < rank_; ++p) sum -= measure2_[used_[p].row] * J[used_[p].row] * subtracted(i, p);
      for (int k = 0; k < i; ++k) sum -= dependence(i, k) * b(k);
      b(i) = sum / dependence(i, i);
    }
    for (int i = open_row_count_ - 1; i >= 0; --i) {
      for (int k = i + 1; k < open_row_count_; ++k) b(i) -= dependence(k, i) * b(k);
      b(i) /= dependence(i, i);
    }
    for (int i = 0; i < open_row_count_; ++i) {
      for (int p = 0; p < rank_; ++p) J[used_[p].row] += b(i) * subtracted(i, p);
    }
  }

  template <class List>
  static void remove(int value, List& list, int& count) noexcept {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
      list[kept] = list[i];
      kept += list[i] != value ? 1 : 0;
    }
    count = kept;
  }

  void list_independent() noexcept {
    independents_ = 0;
    for (int i = 0; i < open_column_count_; ++i) {
      if (roles_[open_columns_[i]] != UnknownRole::kPhantom) independent_[independents_++] = open_columns_[i];
    }
  }

  int rows_, columns_;
  int width_;                                          // of a row
  SmallArray<double, size_product(kRows, kWidth)> W_;  // [S | 1], row by row
  SmallArray<double, kColumns> inverse_size_;
  SmallArray<double, kRows> measure2_;
  SmallArray<UnknownRole, kColumns> roles_;
  int phantoms_ = 0;
  SmallArray<int, kRows> open_rows_;  // not taken yet, in order
  SmallArray<int, kColumns> open_columns_;
  int open_row_count_ = 0, open_column_count_ = 0;
  SmallArray<Pivot, kMax> found_;  // by the last solve(), in order
  SmallArray<Pivot, kMax> used_;   // those of them in use
  int found_count_ = 0, rank_ = 0;
  double found_smallest_ = 1.0;
  SmallArray<int, kColumns> independent_;
  int independents_ = 0;
  double smallest_ = 1.0;
};

using CompletePivotSolve = SizedCompletePivotSolve<kAnySize, kAnySize>;

}  // namespace kinloop
