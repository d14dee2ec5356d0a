// Owns an LU factorization with partial pivoting of a leading block; never allocates.
#pragma once

#include <vector>

#include "core/spatial/types.hpp"

namespace kinloop {

class Lu {
 public:
  explicit Lu(Eigen::Index most) : a_(MatrixX::Zero(most, most)), order_(static_cast<std::size_t>(most)) {}

  /// To be filled in its leading block before factorize(), which overwrites it.
  MatrixX& matrix() noexcept { return a_; }

  /// False if a pivot is below the tolerance, against rows of size 1 before elimination; that pivot then counts as
  /// infinite, so that what belongs to it becomes zero.
  bool factorize(Eigen::Index size, double tolerance) noexcept;

  /// A x = b and A^T x = b in place, for the first entries of x.
  void solve(Eigen::Ref<VectorX> x) noexcept;
  void solve_transposed(Eigen::Ref<VectorX> x) noexcept;

 private:
  MatrixX a_;
  std::vector<int> order_;  // row that was swapped with row i
  Eigen::Index size_ = 0;
};

}  // namespace kinloop
