// Implements the elimination.
#include "core/math/closing_solve.hpp"

#include <algorithm>
#include <cmath>

namespace kinloop {

ClosingSolve::ClosingSolve(Eigen::Index rows, Eigen::Index columns, Eigen::Index preferred)
    : columns_(columns),
      preferred_(preferred),
      W_(MatrixX::Zero(rows, columns + rows)),
      size_(VectorX::Ones(columns)),
      row_used_(static_cast<std::size_t>(rows)),
      column_used_(static_cast<std::size_t>(columns)),
      pivots_(static_cast<std::size_t>(std::min(rows, columns))) {
  independent_.reserve(static_cast<std::size_t>(columns));
  list_independent();
}

void ClosingSolve::scale() noexcept {
  W_.rightCols(W_.rows()).setIdentity();
  for (Eigen::Index c = 0; c < columns_; ++c) {
    const double size = W_.col(c).norm();
    size_[c] = size > 0.0 ? size : 1.0;
    W_.col(c) /= size_[c];
  }
}

bool ClosingSolve::find(Eigen::Index first, Eigen::Index last, double tolerance, Pivot& best) const noexcept {
  double largest = tolerance;
  bool found = false;
  for (Eigen::Index c = first; c < last; ++c) {
    if (column_used_[static_cast<std::size_t>(c)] != 0) continue;
    for (Eigen::Index r = 0; r < W_.rows(); ++r) {
      if (row_used_[static_cast<std::size_t>(r)] != 0) continue;
      const double size = std::abs(W_(r, c));
      // The margin keeps entries that are equal but for rounding in their order.
      if (size > largest * (1.0 + 1e-9)) {
        largest = size;
        best = {static_cast<int>(r), static_cast<int>(c), false};
        found = true;
      }
    }
  }
  return found;
}

/// Makes the pivot's column a unit vector.
void ClosingSolve::clear(const Pivot& pivot) noexcept {
  const double inverse = 1.0 / W_(pivot.row, pivot.column);
  for (Eigen::Index c = 0; c < W_.cols(); ++c) W_(pivot.row, c) *= inverse;
  for (Eigen::Index c = 0; c < W_.cols(); ++c) {
    if (c == pivot.column) continue;
    const double value = W_(pivot.row, c);
    if (value == 0.0) continue;
    for (Eigen::Index r = 0; r < W_.rows(); ++r) {
      if (r != pivot.row) W_(r, c) -= W_(r, pivot.column) * value;
    }
  }
  W_.col(pivot.column).setZero();
  W_(pivot.row, pivot.column) = 1.0;
}

void ClosingSolve::list_independent() noexcept {
  independent_.clear();
  for (Eigen::Index c = 0; c < columns_; ++c) {
    if (column_used_[static_cast<std::size_t>(c)] == 0) independent_.push_back(static_cast<int>(c));
  }
}

void ClosingSolve::solve(double tolerance) noexcept {
  scale();
  std::fill(row_used_.begin(), row_used_.end(), 0);
  std::fill(column_used_.begin(), column_used_.end(), 0);
  rank_ = 0;
  smallest_ = 1.0;
  const auto most = static_cast<int>(pivots_.size());
  while (rank_ < most) {
    Pivot& pivot = pivots_[static_cast<std::size_t>(rank_)];
    if (!find(preferred_, columns_, tolerance, pivot) && !find(0, preferred_, tolerance, pivot)) break;
    smallest_ = std::min(smallest_, std::abs(W_(pivot.row, pivot.column)));
    clear(pivot);
    row_used_[static_cast<std::size_t>(pivot.row)] = 1;
    column_used_[static_cast<std::size_t>(pivot.column)] = 1;
    ++rank_;
  }
  list_independent();
}

void ClosingSolve::solve_again() noexcept {
  constexpr double kNothing = 1e-13;
  scale();
  smallest_ = 1.0;
  for (int i = 0; i < rank_; ++i) {
    Pivot& pivot = pivots_[static_cast<std::size_t>(i)];
    const double size = std::abs(W_(pivot.row, pivot.column));
    smallest_ = std::min(smallest_, size);
    pivot.zero = !(size > kNothing);
    if (!pivot.zero) clear(pivot);
  }
}

}  // namespace kinloop
