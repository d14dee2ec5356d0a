// Implements the factorization column by column, along the memory of the matrix.
#include "core/math/cholesky.hpp"

#include <cmath>

#include "core/math/tree_factorization.hpp"

namespace kinloop {

bool factorize_cholesky(MatrixX& S) noexcept { return factorize_cholesky(S, S.rows()); }

bool factorize_cholesky(MatrixX& S, Eigen::Index n) noexcept {
  for (Eigen::Index j = 0; j < n; ++j) {
    const Eigen::Index rest = n - j;
    const double before = S(j, j);
    for (Eigen::Index k = 0; k < j; ++k) S.col(j).segment(j, rest) -= S(j, k) * S.col(k).segment(j, rest);
    const double pivot = S(j, j);
    if (!(pivot > kSmallestPivot * before)) return false;
    S.col(j).segment(j, rest) *= 1.0 / std::sqrt(pivot);
  }
  return true;
}

void solve_lower(const MatrixX& L, VectorX& x) noexcept {
  const Eigen::Index n = L.rows();
  for (Eigen::Index j = 0; j < n; ++j) {
    x[j] /= L(j, j);
    x.tail(n - j - 1) -= x[j] * L.col(j).tail(n - j - 1);
  }
}

void solve_lower_transposed(const MatrixX& L, VectorX& x) noexcept {
  const Eigen::Index n = L.rows();
  for (Eigen::Index j = n - 1; j >= 0; --j) {
    x[j] = (x[j] - L.col(j).tail(n - j - 1).dot(x.tail(n - j - 1))) / L(j, j);
  }
}

void inverse_lower(const MatrixX& L, MatrixX& inverse) noexcept {
  const Eigen::Index n = L.rows();
  inverse.setIdentity();
  for (Eigen::Index c = 0; c < n; ++c) {  // columns begin at their own row
    auto x = inverse.col(c);
    for (Eigen::Index j = c; j < n; ++j) {
      x[j] /= L(j, j);
      x.tail(n - j - 1) -= x[j] * L.col(j).tail(n - j - 1);
    }
  }
}

}  // namespace kinloop
