// Implements the factorization along the ancestors of each node.
#include "core/math/tree_factorization.hpp"

#include "core/base/at.hpp"

namespace kinloop {
namespace {

/// Of what a node moves in all: what is left is known to four digits. Less, and a node without inertia of its own would
/// pass by the rounding of the sums it is taken from.
constexpr double kLeastInertia = 1e-12;

}  // namespace

bool factorize_tree(const std::vector<int>& parent, MatrixX& M, VectorX& whole) noexcept {
  const auto up = [&](int i) { return parent[at(i)]; };
  bool positive = true;
  whole = M.diagonal();
  for (int k = static_cast<int>(parent.size()) - 1; k >= 0; --k) {
    // Against the whole: several nodes farther out may take nearly all of it, each a little.
    positive = positive && M(k, k) > kLeastInertia * whole[k];
    for (int i = up(k); i >= 0; i = up(i)) {
      const double ratio = M(k, i) / M(k, k);
      for (int j = i; j >= 0; j = up(j)) M(i, j) -= ratio * M(k, j);
      M(k, i) = ratio;
    }
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
