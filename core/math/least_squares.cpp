// By QR with column pivoting, completed to an orthogonal decomposition for solutions.
#include "core/math/least_squares.hpp"

#include <Eigen/QR>

namespace kinloop {

VectorX shortest_solution(const MatrixX& A, const VectorX& b, double tolerance) {
  Eigen::CompleteOrthogonalDecomposition<MatrixX> factors;
  factors.setThreshold(tolerance);
  factors.compute(A);
  return factors.solve(b);
}

MatrixX orthogonal_complement(const MatrixX& A, double tolerance) {
  Eigen::ColPivHouseholderQR<MatrixX> factors(A);
  factors.setThreshold(tolerance);
  return MatrixX(factors.householderQ()).rightCols(A.rows() - factors.rank());
}

}  // namespace kinloop
