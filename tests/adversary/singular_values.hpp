// Owns the singular values of constraints: one-sided Jacobi, accurate also for the small ones.
#pragma once

#include "tests/adversary/precise.hpp"

namespace kinloop::adversary {

/// A = U diag(sigma) V^T, largest first; as many as A has rows or columns, whichever are fewer.
struct SingularValues {
  VectorXR sigma;
  MatrixXR U, V;
};
SingularValues singular_values(const MatrixXR& A);

/// An orthonormal basis of what is orthogonal to the first `count` columns of V.
MatrixXR complement(const MatrixXR& V, Eigen::Index count);

/// Brings the rows and columns of a matrix of bounds to size 1: row[i] * bound(i, j) * column[j].
struct Equilibration {
  VectorXR row, column;
};
Equilibration equilibrate(const MatrixXR& bound);

}  // namespace kinloop::adversary
