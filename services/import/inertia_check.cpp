// Implements the check of mass and inertia, by the rules of compile().
#include "services/import/inertia_check.hpp"

#include <Eigen/Eigenvalues>

namespace kinloop {

std::optional<std::string> mass_problem(double mass, const Matrix3& inertia) {
  if (mass < 0.0) return "the mass is negative";
  if (inertia.isZero(0.0)) return std::nullopt;  // a point mass or a massless link
  if (mass == 0.0) return "has inertia but no mass";
  const Vector3 principal = Eigen::SelfAdjointEigenSolver<Matrix3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  if (!(principal[0] > 0.0)) return "the inertia is not positive definite";
  return std::nullopt;
}

}  // namespace kinloop
