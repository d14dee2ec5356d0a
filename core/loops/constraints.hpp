// Owns Constraints: all closures and couplings of a model as one system C v = 0 over the speeds of the tree.
#pragma once

#include "core/loops/closure.hpp"

namespace kinloop {

/// Rows of all loop joints (6 - freedoms each) and couplings (1 each).
int constraint_rows(const Model& model) noexcept;

struct Constraints {
  explicit Constraints(const Model& model);

  double length_m;                  // characteristic_length()
  MatrixX C;                        // constraint_rows x nv
  VectorX g;                        // position errors, same rows
  double largest_distance_m = 0.0;  // by which a loop is open
  double largest_angle_rad = 0.0;
};

/// Needs update_kinematics() of the same q. No allocation.
void evaluate_constraints(const Model& model, const double* q, const Workspace& ws, Constraints& out) noexcept;

}  // namespace kinloop
