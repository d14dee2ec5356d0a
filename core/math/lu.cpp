// Implements the factorization.
#include "core/math/lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kinloop {

bool Lu::factorize(Eigen::Index size, double tolerance) noexcept {
  size_ = size;
  bool regular = true;
  double largest = 0.0;
  for (Eigen::Index j = 0; j < size; ++j) {
    for (Eigen::Index i = 0; i < size; ++i) largest = std::max(largest, std::abs(a_(i, j)));
  }
  for (Eigen::Index k = 0; k < size; ++k) {
    Eigen::Index best = k;
    for (Eigen::Index i = k + 1; i < size; ++i) {
      if (std::abs(a_(i, k)) > std::abs(a_(best, k))) best = i;
    }
    order_[static_cast<std::size_t>(k)] = static_cast<int>(best);
    if (best != k) {
      for (Eigen::Index j = 0; j < size; ++j) std::swap(a_(k, j), a_(best, j));
    }
    if (!(std::abs(a_(k, k)) > tolerance * largest)) {
      regular = false;
      a_(k, k) = std::numeric_limits<double>::infinity();
    }
    for (Eigen::Index i = k + 1; i < size; ++i) a_(i, k) /= a_(k, k);
    for (Eigen::Index j = k + 1; j < size; ++j) {
      const double value = a_(k, j);
      if (value == 0.0) continue;
      for (Eigen::Index i = k + 1; i < size; ++i) a_(i, j) -= a_(i, k) * value;
    }
  }
  return regular;
}

void Lu::solve(Eigen::Ref<VectorX> x) noexcept {
  for (Eigen::Index k = 0; k < size_; ++k) std::swap(x[k], x[order_[static_cast<std::size_t>(k)]]);
  for (Eigen::Index k = 0; k < size_; ++k) {
    for (Eigen::Index i = k + 1; i < size_; ++i) x[i] -= a_(i, k) * x[k];
  }
  for (Eigen::Index k = size_ - 1; k >= 0; --k) {
    x[k] /= a_(k, k);
    for (Eigen::Index i = 0; i < k; ++i) x[i] -= a_(i, k) * x[k];
  }
}

void Lu::solve_transposed(Eigen::Ref<VectorX> x) noexcept {
  for (Eigen::Index k = 0; k < size_; ++k) {
    for (Eigen::Index i = 0; i < k; ++i) x[k] -= a_(i, k) * x[i];
    x[k] /= a_(k, k);
  }
  for (Eigen::Index k = size_ - 1; k >= 0; --k) {
    for (Eigen::Index i = k + 1; i < size_; ++i) x[k] -= a_(i, k) * x[i];
  }
  for (Eigen::Index k = size_ - 1; k >= 0; --k) std::swap(x[k], x[order_[static_cast<std::size_t>(k)]]);
}

}  // namespace kinloop
