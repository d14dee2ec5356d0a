// Owns a dense Cholesky factorization that never allocates; Eigen's takes heap memory for large matrices.
#pragma once

#include "core/spatial/types.hpp"

namespace kinloop {

/// In place: the lower triangle of S becomes L with S = L L^T. False if S is not positive definite to working accuracy.
bool factorize_cholesky(MatrixX& S) noexcept;
/// The same of the leading n x n block alone.
bool factorize_cholesky(MatrixX& S, Eigen::Index n) noexcept;

/// Solves L x = b and L^T x = b in place.
void solve_lower(const MatrixX& L, VectorX& x) noexcept;
void solve_lower_transposed(const MatrixX& L, VectorX& x) noexcept;

/// L^-1, zero above the diagonal as L counts there.
void inverse_lower(const MatrixX& L, MatrixX& inverse) noexcept;

}  // namespace kinloop
