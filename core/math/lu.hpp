// Owns an LU factorization with row pivoting that never allocates.
#pragma once

#include <vector>

#include "core/spatial/types.hpp"

namespace kinloop {

class LuFactors {
 public:
  /// For matrices of up to n rows.
  explicit LuFactors(Eigen::Index n);

  /// Its first n rows and columns are to be filled before factorize(), which overwrites them.
  MatrixX& matrix() noexcept { return a_; }
  /// False where a pivot is no number or, against the largest entry of its row, nothing but rounding.
  bool factorize(Eigen::Index n) noexcept;
  /// A X = B in place, for the first rows of B.
  void solve(MatrixX& B) const noexcept;

 private:
  MatrixX a_;
  VectorX size_;  // of the rows
  std::vector<Eigen::Index> row_;
  Eigen::Index n_ = 0;
};

}  // namespace kinloop
