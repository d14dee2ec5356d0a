// Builds the constraint rows of a joint by an orthogonal factorization of its motion columns.
#include "core/dynamics/joint_rows.hpp"

#include <Eigen/QR>

#include "core/base/at.hpp"

namespace kinloop {

void update_joint_rows(const Model& model, int k, const Workspace& ws, JointRows& rows) noexcept {
  const BodyConstants& body = model.body(k);
  const int nv = body.nv;
  Columns6 H(6, nv);
  for (int i = 0; i < nv; ++i) {
    const Vec3& w = ws.Hw[at(body.v + i)];
    const Vec3& v = ws.Hv[at(body.v + i)];
    H.col(i) << w.x(), w.y(), w.z(), v.x(), v.y(), v.z();
  }
  Matrix6 basis = Matrix6::Identity();
  rows.W.resize(6, nv);
  if (nv > 0) {
    const Eigen::HouseholderQR<Columns6> qr(H);
    basis = qr.householderQ();
    // H = basis [R; 0], so its left inverse is R^-1 basis_1^T.
    const SmallSquare R = qr.matrixQR().topRows(nv);
    SmallSquare R_inverse = SmallSquare::Identity(nv, nv);
    R.triangularView<Eigen::Upper>().solveInPlace(R_inverse);
    rows.W.noalias() = basis.leftCols(nv) * R_inverse.transpose();
  }
  int count = 0;
  rows.G.resize(6, 6);
  rows.compliance.setZero(6);
  for (int c = nv; c < 6; ++c) rows.G.row(count++) = basis.col(c).transpose();
  for (int i = 0; i < nv; ++i) {
    const CoordinateConstants& c = model.coordinate(body.v + i);
    if (c.motion < 0 && c.armature == 0.0) continue;
    if (c.motion < 0) rows.compliance[count] = 1.0 / c.armature;
    rows.G.row(count++) = rows.W.col(i).transpose();
  }
  rows.G.conservativeResize(count, 6);
  rows.compliance.conservativeResize(count);
}

}  // namespace kinloop
