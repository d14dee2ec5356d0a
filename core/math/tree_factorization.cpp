// Implements the factorization along the ancestors of each node.
#include "core/math/tree_factorization.hpp"

#include "core/base/at.hpp"

namespace kinloop {

bool factorize_tree(const std::vector<int>& parent, MatrixX& M) noexcept {
  const auto up = [&](int i) { return parent[at(i)]; };
  bool positive = true;
  for (int k = static_cast<int>(parent.size()) - 1; k >= 0; --k) {
    for (int i = up(k); i >= 0; i = up(i)) {
      const double ratio = M(k, i) / M(k, k);
      const double before = M(i, i);
      for (int j = i; j >= 0; j = up(j)) M(i, j) -= ratio * M(k, j);
      positive = positive && M(i, i) > kSmallestPivot * before;
      M(k, i) = ratio;
    }
    positive = positive && M(k, k) > 0.0;
  }
  return positive;
}

void solve_tree(const std::vector<int>& parent, const MatrixX& LD, VectorX& x) noexcept {
  const auto up = [&](int i) { return parent[at(i)]; };
  const int n = static_cast<int>(parent.size());
  for (int k = n - 1; k >= 0; --k) {  // L^T y = b
    for (int i = up(k); i >= 0; i = up(i)) x[i] -= LD(k, i) * x[k];
  }
  for (int k = 0; k < n; ++k) {  // L x = D^-1 y
    x[k] /= LD(k, k);
    for (int i = up(k); i >= 0; i = up(i)) x[k] -= LD(k, i) * x[i];
  }
}

}  // namespace kinloop
