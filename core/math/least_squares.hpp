// Owns least squares with matrices of any rank. Eigen's decompositions take long to compile: they are in one file.
#pragma once

#include "core/spatial/types.hpp"

namespace kinloop {

/// The shortest x with the least |A x - b|. Pivots below `tolerance` of the largest count as zero.
VectorX shortest_solution(const MatrixX& A, const VectorX& b, double tolerance);

/// Orthonormal columns that span what is orthogonal to the range of A.
MatrixX orthogonal_complement(const MatrixX& A, double tolerance);

}  // namespace kinloop
