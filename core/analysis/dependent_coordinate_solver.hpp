// Owns DependentCoordinateSolver: closes the loops of a mechanism by moving dependent coordinates only, down to
// rounding.
//
// Newton's method from nearby, without second attempts: what it finds lies on the branch where it began. For analysis:
// it allocates.
#pragma once

#include <vector>

#include "core/constraints/closing_equations.hpp"

namespace kinloop {

class DependentCoordinateSolver {
 public:
  /// The model must outlive it. Speeds marked in `held` (one entry per speed) and driven ones stay.
  DependentCoordinateSolver(const Model& model, const std::vector<char>& held);

  /// q = q0 + increment with all loops closed; changes the increments of dependents. False where Newton's method does
  /// not get there.
  bool close_positions(const VectorX& q0, VectorX& increment, VectorX& q);

  /// The same for the speeds of dependents, at positions that are closed.
  bool close_speeds(const VectorX& q, VectorX& v);

  /// Of the constraints at these positions, over all speeds that are not driven.
  int rank_at(const VectorX& q);

 private:
  /// The change of the dependents that makes up for these errors of the rows.
  VectorX correction(const VectorX& errors);

  const Model& model_;
  ClosingEquations equations_;
};

}  // namespace kinloop
