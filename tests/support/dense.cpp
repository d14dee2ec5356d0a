#include "tests/support/dense.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/SVD>

namespace kinloop::dense {

MatrixX inverse(const MatrixX& A) { return A.inverse(); }

MatrixX solve_symmetric(const MatrixX& A, const MatrixX& B) { return A.ldlt().solve(B); }

MatrixX cholesky_factor(const MatrixX& A) {
  const Eigen::LLT<MatrixX> llt(A);
  EXPECT_EQ(llt.info(), Eigen::Success);
  return llt.matrixL();
}

VectorX singular_values(const MatrixX& A) {
  return Eigen::JacobiSVD<MatrixX>(A, Eigen::ComputeFullU | Eigen::ComputeFullV).singularValues();
}

VectorX shortest_solution(const MatrixX& A, const VectorX& b, double tolerance) {
  Eigen::JacobiSVD<MatrixX> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  svd.setThreshold(tolerance);
  return svd.solve(b);
}

MatrixX null_space(const MatrixX& A, double tolerance) {
  Eigen::JacobiSVD<MatrixX> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  svd.setThreshold(tolerance);
  return svd.matrixV().rightCols(A.cols() - svd.rank());
}

}  // namespace kinloop::dense
