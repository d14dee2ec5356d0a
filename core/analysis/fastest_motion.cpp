// Projects mass, stiffness and damping onto the motions that the constraints allow: Z^T M Z, Z^T K Z, Z^T C Z.
#include "core/analysis/fastest_motion.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "core/base/at.hpp"
#include "core/constraints/constraint_rank.hpp"
#include "core/constraints/row_measure.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/forces/force_element.hpp"
#include "core/forces/force_tangent.hpp"
#include "core/math/least_squares.hpp"

namespace kinloop {
namespace {

/// Columns that span the speeds which neither break a constraint nor move a driven speed; orthonormal for speeds of
/// size 1, so that angles and distances weigh the same whatever the size of the mechanism.
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

/// Whether the lightest of the motions moves inertia: more than what rounding leaves of sums that should vanish.
bool moves_inertia(const MatrixX& mass, const MatrixX& Z, const MatrixX& M) {
  constexpr double kRounding = 1e-13;
  const Eigen::SelfAdjointEigenSolver<MatrixX> solver(mass);
  const VectorX lightest = Z * solver.eigenvectors().col(0);
  const VectorX parts = lightest.cwiseAbs();
  const double moved = lightest.dot(M * lightest);
  return moved > kRounding * parts.dot(M.cwiseAbs() * parts);
}

/// Largest eigenvalue of stiffness against mass, and the speed that moves most in it.
struct Largest {
  double value = 0.0;
  int speed = -1;
};

Largest largest_eigenvalue(const MatrixX& stiffness, const MatrixX& mass, const MatrixX& Z, const MatrixX& M) {
  if (stiffness.cwiseAbs().maxCoeff() == 0.0) return {};
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> solver(stiffness, mass);
  const Eigen::Index last = stiffness.rows() - 1;
  const VectorX motion = Z * solver.eigenvectors().col(last);
  Largest largest{solver.eigenvalues()[last], 0};
  // Weighed with inertia, since speeds in m/s and in rad/s cannot be compared as they are.
  (motion.cwiseAbs2().cwiseProduct(M.diagonal())).maxCoeff(&largest.speed);
  return largest;
}

/// Of all that stops a speed at the end of its range.
double stop_stiffness(const Model& model, int speed) {
  double sum = 0.0;
  for (const ForceElementKind* kind : force_element_kinds()) {
    if (kind->stop_stiffness != nullptr) sum += kind->stop_stiffness(model, speed);
  }
  return sum;
}

}  // namespace

FastestMotion fastest_motion(const Model& model, const State& state, const Workspace& ws) {
  FastestMotion result;
  const MatrixX Z = allowed_motions(model, ws);
  if (Z.cols() == 0) return result;
  MatrixX M;
  mass_matrix(model, ws, M);
  const MatrixX mass = Z.transpose() * M * Z;
  if (!moves_inertia(mass, Z, M)) {
    result.regular = false;
    return result;
  }
  const Eigen::LDLT<MatrixX> factor(mass);

  ForceTangent tangent(model);
  tangent.update(model, state.q().data(), state.v().data(), ws);
  const Largest spring = largest_eigenvalue(Z.transpose() * tangent.K() * Z, mass, Z, M);
  const Largest damper = largest_eigenvalue(Z.transpose() * tangent.C() * Z, mass, Z, M);
  result.frequency_rad_s = std::sqrt(std::max(0.0, spring.value));
  result.frequency_speed = spring.speed;
  result.decay_per_s = damper.value;
  result.decay_speed = damper.speed;

  for (int i = 0; i < model.nv(); ++i) {
    const double stiffness = stop_stiffness(model, i);
    if (stiffness == 0.0) continue;
    const VectorX along = Z.row(i).transpose();
    const double mobility = along.dot(factor.solve(along));  // acceleration per unit of force along this speed
    const double frequency = std::sqrt(std::max(0.0, stiffness * mobility));
    if (frequency <= result.stop_rad_s) continue;
    result.stop_rad_s = frequency;
    result.stop_speed = i;
  }
  return result;
}

}  // namespace kinloop
