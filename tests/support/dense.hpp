// Owns the dense linear algebra that tests compare with. Eigen's decompositions take long to compile: they are in one
// file.
#pragma once

#include "core/spatial/types.hpp"

namespace kinloop::dense {

MatrixX inverse(const MatrixX& A);
/// X of A X = B, where A is symmetric and definite.
MatrixX solve_symmetric(const MatrixX& A, const MatrixX& B);
/// L of A = L L'; fails the test where A is not positive definite.
MatrixX cholesky_factor(const MatrixX& A);
/// From the largest to the smallest.
VectorX singular_values(const MatrixX& A);
/// The shortest x with the least |A x - b|; singular values below `tolerance` of the largest count as zero.
VectorX shortest_solution(const MatrixX& A, const VectorX& b, double tolerance);
/// Columns that span the null space of A, by the singular values.
MatrixX null_space(const MatrixX& A, double tolerance);

}  // namespace kinloop::dense
