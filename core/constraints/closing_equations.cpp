// Rows and columns of the constraints, divided by the sizes of the speeds.
#include "core/constraints/closing_equations.hpp"

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {

ClosingEquations::ClosingEquations(const Model& model, const std::vector<char>& held)
    : model_(model),
      ws_(model),
      target_(model),
      C_(constraint_rows(model), model.nv()),
      errors_(constraint_rows(model)),
      at_rest_(VectorX::Zero(model.nv())) {
  for (int i = 0; i < model.nv(); ++i) {
    if (held[at(i)] == 0 && model.coordinate(i).motion < 0) free_.push_back(i);
  }
}

void ClosingEquations::update(const VectorX& q, const VectorX& v) {
  update_kinematics(model_, q.data(), v.data(), 0.0, ws_);
  update_loop_constraints(model_, q.data(), v.data(), 0.0, ws_);
}

const VectorX& ClosingEquations::position_errors() {
  position_correction(model_, ws_, target_);
  constraint_values(model_, ws_, target_, errors_);
  return errors_;
}

const VectorX& ClosingEquations::velocity_errors() {
  velocity_correction(model_, ws_, target_);
  constraint_values(model_, ws_, target_, errors_);
  return errors_;
}

MatrixX ClosingEquations::scaled_columns() {
  constraint_matrix(model_, ws_, C_);
  MatrixX J(C_.rows(), static_cast<Eigen::Index>(free_.size()));
  for (Eigen::Index j = 0; j < J.cols(); ++j) {
    J.col(j) = C_.col(free_[at(j)]) / speed_size(ws_, free_[at(j)], model_.length_m());
  }
  return J;
}

VectorX ClosingEquations::unscaled(const VectorX& step) const {
  VectorX full = VectorX::Zero(model_.nv());
  for (Eigen::Index j = 0; j < step.size(); ++j) {
    full[free_[at(j)]] = step[j] / speed_size(ws_, free_[at(j)], model_.length_m());
  }
  return full;
}

}  // namespace kinloop
