// Projects mass, stiffness and damping onto the motions that the constraints allow: Z^T M Z, Z^T K Z, Z^T C Z.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "core/constraints/allowed_motions.hpp"
#include "core/dynamics/mass_matrix.hpp"
#include "core/forces/force_element.hpp"
#include "core/forces/force_tangent.hpp"
#include "core/integrators/motion_rates.hpp"

namespace kinloop {
namespace {

/// Whether the lightest of the motions moves inertia: more than what rounding leaves of sums that should vanish.
bool moves_inertia(const MatrixX& mass, const MatrixX& Z, const MatrixX& M) {
  constexpr double kRounding = 1e-13;
  const Eigen::SelfAdjointEigenSolver<MatrixX> solver(mass);
  const VectorX lightest = Z * solver.eigenvectors().col(0);
  const VectorX parts = lightest.cwiseAbs();
  const double moved = lightest.dot(M * lightest);
  return moved > kRounding * parts.dot(M.cwiseAbs() * parts);
}

LargestRate largest_eigenvalue(const MatrixX& stiffness, const MatrixX& mass, const MatrixX& Z, const MatrixX& M) {
  if (stiffness.cwiseAbs().maxCoeff() == 0.0) return {};
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> solver(stiffness, mass);
  const Eigen::Index last = stiffness.rows() - 1;
  const VectorX motion = Z * solver.eigenvectors().col(last);
  LargestRate largest{solver.eigenvalues()[last], 0};
  // Weighed with inertia, since speeds in m/s and in rad/s cannot be compared as they are.
  (motion.cwiseAbs2().cwiseProduct(M.diagonal())).maxCoeff(&largest.speed);
  return largest;
}

}  // namespace

MotionRates dense_rates(const Model& model, const State& state, const Workspace& ws) {
  MotionRates rates;
  const MatrixX Z = allowed_motions(model, ws);
  if (Z.cols() == 0) return rates;
  MatrixX M;
  mass_matrix(model, ws, M);
  const MatrixX mass = Z.transpose() * M * Z;
  rates.regular = moves_inertia(mass, Z, M);
  if (!rates.regular) return rates;
  const auto largest = [&](const MatrixX& of) { return largest_eigenvalue(Z.transpose() * of * Z, mass, Z, M); };

  ForceTangent tangent(model);
  tangent.update(model, state.q().data(), state.v().data(), ws);
  rates.springs = largest(tangent.K());
  rates.dampers = largest(tangent.C());
  ForceTangent touches(model), elements(model);
  ElementsOnly between_bodies(elements);
  for (const ForceElementKind* kind : force_element_kinds()) {
    if (kind->one_sided.add_full_tangents == nullptr) {
      kind->add_tangents(model, state.q().data(), state.v().data(), ws, between_bodies);
    } else {
      kind->one_sided.add_full_tangents(model, state.q().data(), state.v().data(), ws, touches);
      kind->one_sided.add_full_tangents(model, state.q().data(), state.v().data(), ws, between_bodies);
    }
  }
  rates.elements = largest(elements.K());
  rates.touch_springs = largest(touches.K());
  rates.touch_dampers = largest(touches.C());

  const Eigen::LDLT<MatrixX> factor(mass);
  rates.mobility.resize(model.nv());
  for (int i = 0; i < model.nv(); ++i) {
    const VectorX along = Z.row(i).transpose();
    rates.mobility[i] = along.dot(factor.solve(along));
  }
  return rates;
}

}  // namespace kinloop
