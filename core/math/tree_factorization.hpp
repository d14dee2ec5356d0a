// Owns the factorization M = L^T D L of a joint-space inertia matrix along its tree (Featherstone, 2008).
#pragma once

#include <vector>

#include "core/spatial/types.hpp"

namespace kinloop {

/// Smallest pivot, relative to the diagonal entry it was left of, that counts as inertia and not as rounding noise.
inline constexpr double kSmallestPivot = 1e-14;

/// In place: M (lower triangle, non-zero only between a node and its ancestors) becomes L (unit diagonal, not stored)
/// and D (on the diagonal). Eliminating leaves first makes no fill-in. False if M is not positive definite. `whole`, as
/// many entries, is overwritten.
bool factorize_tree(const std::vector<int>& parent, MatrixX& M, VectorX& whole) noexcept;

/// Solves M x = b in place with the factors.
void solve_tree(const std::vector<int>& parent, const MatrixX& LD, VectorX& x) noexcept;

}  // namespace kinloop
