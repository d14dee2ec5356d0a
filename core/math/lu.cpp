// Gaussian elimination, rows compared by their own size.
#include "core/math/lu.hpp"

#include <cmath>
#include <utility>

#include "core/base/at.hpp"

namespace kinloop {

LuFactors::LuFactors(Eigen::Index n) : a_(MatrixX::Zero(n, n)), size_(VectorX::Zero(n)), row_(at(n), 0) {}

bool LuFactors::factorize(Eigen::Index n) noexcept {
  constexpr double kNothing = 1e-14;
  n_ = n;
  for (Eigen::Index r = 0; r < n; ++r) {
    size_[r] = a_.row(r).head(n).lpNorm<Eigen::Infinity>();
    if (!(size_[r] > 0.0)) return false;
  }
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index best = k;
    for (Eigen::Index r = k + 1; r < n; ++r) {
      if (std::abs(a_(r, k)) * size_[best] > std::abs(a_(best, k)) * size_[r]) best = r;
    }
    row_[at(k)] = best;
    if (best != k) {
      a_.row(k).head(n).swap(a_.row(best).head(n));
      std::swap(size_[k], size_[best]);
    }
    if (!(std::abs(a_(k, k)) > kNothing * size_[k])) return false;
    const Eigen::Index rest = n - k - 1;
    a_.col(k).segment(k + 1, rest) *= 1.0 / a_(k, k);
    for (Eigen::Index c = k + 1; c < n; ++c) {
      a_.col(c).segment(k + 1, rest) -= a_(k, c) * a_.col(k).segment(k + 1, rest);
    }
  }
  return true;
}

void LuFactors::solve(MatrixX& B) const noexcept {
  for (Eigen::Index c = 0; c < B.cols(); ++c) {
    auto x = B.col(c);
    for (Eigen::Index k = 0; k < n_; ++k) std::swap(x[k], x[row_[at(k)]]);
    for (Eigen::Index k = 0; k < n_; ++k) {
      x.segment(k + 1, n_ - k - 1) -= x[k] * a_.col(k).segment(k + 1, n_ - k - 1);
    }
    for (Eigen::Index k = n_ - 1; k >= 0; --k) {
      x[k] /= a_(k, k);
      x.head(k) -= x[k] * a_.col(k).head(k);
    }
  }
}

}  // namespace kinloop
