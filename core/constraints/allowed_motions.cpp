// The orthogonal complement of all rows, each in the measure of its loop.
#include "core/constraints/allowed_motions.hpp"

#include "core/base/at.hpp"
#include "core/constraints/constraints.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/constraints/row_measure.hpp"
#include "core/math/least_squares.hpp"

namespace kinloop {

MatrixX allowed_motions(const Model& model, const Workspace& ws) {
  const int nv = model.nv();
  MatrixX C(constraint_rows(model), nv);
  constraint_matrix(model, ws, C);
  VectorX inverse_size(nv);
  for (int i = 0; i < nv; ++i) inverse_size[i] = 1.0 / speed_size(ws, i, model.length_m());
  const auto driven = static_cast<Eigen::Index>(model.driven_speeds().size());
  MatrixX transposed = MatrixX::Zero(nv, C.rows() + driven);
  transposed.leftCols(C.rows()) = inverse_size.asDiagonal() * C.transpose() * RowMeasure(model).scale.asDiagonal();
  for (Eigen::Index i = 0; i < driven; ++i) {
    transposed(model.driven_speeds()[at(i)], C.rows() + i) = 1.0;
  }
  if (transposed.cols() == 0) return inverse_size.asDiagonal().toDenseMatrix();
  return inverse_size.asDiagonal() * orthogonal_complement(transposed, kRankTolerance);
}

}  // namespace kinloop
