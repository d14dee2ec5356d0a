// Implements the elimination.
#include "core/math/closing_solve.hpp"

#include <algorithm>
#include <cmath>

namespace kinloop {

ClosingSolve::ClosingSolve(Eigen::Index most_rows, Eigen::Index columns)
    : rows_(most_rows),
      columns_(columns),
      W_(MatrixX::Zero(most_rows, columns + most_rows)),
      inverse_size_(static_cast<std::size_t>(columns), 1.0),
      roles_(static_cast<std::size_t>(columns), UnknownRole::kEither),
      row_used_(static_cast<std::size_t>(most_rows)),
      column_used_(static_cast<std::size_t>(columns)) {
  const auto most = static_cast<std::size_t>(std::min(most_rows, columns));
  found_.reserve(most);
  used_.reserve(most);
  independent_.reserve(static_cast<std::size_t>(columns));
  list_independent();
}

void ClosingSolve::start() noexcept {
  for (Eigen::Index r = 0; r < rows_; ++r) {
    double* unit = S_row(r) + columns_;
    for (Eigen::Index s = 0; s < rows_; ++s) unit[s] = r == s ? 1.0 : 0.0;
  }
  for (Eigen::Index c = 0; c < columns_; ++c) {
    double size2 = 0.0;
    for (Eigen::Index r = 0; r < rows_; ++r) size2 += W_(r, c) * W_(r, c);
    inverse_size_[static_cast<std::size_t>(c)] = size2 > 0.0 ? 1.0 / std::sqrt(size2) : 1.0;
  }
  std::fill(row_used_.begin(), row_used_.end(), 0);
  std::fill(column_used_.begin(), column_used_.end(), 0);
  used_.clear();
  smallest_ = 1.0;
}

bool ClosingSolve::find(UnknownRole role, double tolerance, Pivot& best) const noexcept {
  double largest = tolerance;
  bool found = false;
  for (Eigen::Index c = 0; c < columns_; ++c) {
    const auto column = static_cast<std::size_t>(c);
    if (column_used_[column] != 0 || roles_[column] != role) continue;
    for (Eigen::Index r = 0; r < rows_; ++r) {
      if (row_used_[static_cast<std::size_t>(r)] != 0) continue;
      const double size = std::abs(W_(r, c)) * inverse_size_[column];
      // The margin keeps entries that are equal but for rounding in their order.
      if (size > largest * (1.0 + 1e-9)) {
        largest = size;
        best = {static_cast<int>(r), static_cast<int>(c)};
        found = true;
      }
    }
  }
  return found;
}

/// Makes the pivot's column a unit vector.
void ClosingSolve::take(const Pivot& pivot) noexcept {
  double* pivot_row = S_row(pivot.row);
  const double value = pivot_row[pivot.column];
  smallest_ = std::min(smallest_, std::abs(value) * inverse_size_[static_cast<std::size_t>(pivot.column)]);
  const double inverse = 1.0 / value;
  const Eigen::Index end = columns_ + rows_;
  for (Eigen::Index c = 0; c < end; ++c) pivot_row[c] *= inverse;
  pivot_row[pivot.column] = 1.0;
  for (Eigen::Index r = 0; r < rows_; ++r) {
    if (r == pivot.row) continue;
    double* row = S_row(r);
    const double factor = row[pivot.column];
    if (factor == 0.0) continue;
    for (Eigen::Index c = 0; c < end; ++c) row[c] -= factor * pivot_row[c];
    row[pivot.column] = 0.0;
  }
  row_used_[static_cast<std::size_t>(pivot.row)] = 1;
  column_used_[static_cast<std::size_t>(pivot.column)] = 1;
  used_.push_back(pivot);
}

void ClosingSolve::list_independent() noexcept {
  independent_.clear();
  for (Eigen::Index c = 0; c < columns_; ++c) {
    const auto column = static_cast<std::size_t>(c);
    if (column_used_[column] == 0 && roles_[column] != UnknownRole::kPhantom)
      independent_.push_back(static_cast<int>(c));
  }
}

void ClosingSolve::solve(double tolerance) noexcept {
  start();
  found_.clear();
  const auto most = static_cast<std::size_t>(std::min(rows_, columns_));
  Pivot pivot;
  while (found_.size() < most) {
    if (!find(UnknownRole::kPhantom, tolerance, pivot) && !find(UnknownRole::kEither, tolerance, pivot)) break;
    found_.push_back(pivot);
    take(pivot);
  }
  list_independent();
}

void ClosingSolve::solve_again(double tolerance) noexcept {
  start();
  for (const Pivot& pivot : found_) {
    const double size = inverse_size_[static_cast<std::size_t>(pivot.column)];
    if (std::abs(W_(pivot.row, pivot.column)) * size > tolerance) take(pivot);
  }
  list_independent();
}

}  // namespace kinloop
