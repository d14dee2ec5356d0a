// Fills the rows: each speed between the two ends of a loop and their last common body moves one end against the other.
#include "core/constraints/constraints.hpp"
#include "core/base/at.hpp"

#include <span>

namespace kinloop {
namespace {

/// Adds `sign` times what the speeds of body k do along every row; `arm` leads from x_k to the origin of B.
void add_columns(const Model& model, const Workspace& ws, std::span<const SpatialVector> rows, int k, const Vec3& arm,
                 double sign, int first_row, MatrixX& C) noexcept {
  const BodyConstants& body = model.body(k);
  for (int i = body.v; i < body.v + body.nv; ++i) {
    const auto s = static_cast<std::size_t>(i);
    const SpatialVector column = shift_motion({ws.Hw[s], ws.Hv[s]}, arm);
    int r = first_row;
    for (const SpatialVector& row : rows) C(r++, i) += sign * dot(row, column);
  }
}

void add_loop_constraint(const Model& model, const LoopJoint& loop, const LoopConstraint& constraint,
                         const Workspace& ws, int first_row, MatrixX& C) noexcept {
  int a = loop.predecessor;
  int b = loop.successor;
  Vec3 arm_a = constraint.arm_pred;
  Vec3 arm_b = constraint.arm_succ;
  std::array<SpatialVector, 6> rows;
  const auto count = static_cast<std::size_t>(constraint.rows());
  for (std::size_t r = 0; r < count; ++r) rows[r] = constraint.G(static_cast<int>(r));
  // Up to the last common body only: what lies before it moves both ends alike.
  while (a != b) {
    if (b > a) {
      add_columns(model, ws, {rows.data(), count}, b, arm_b, 1.0, first_row, C);
      arm_b += ws.motion[at(b)].r;
      b = model.body(b).parent;
    } else {
      add_columns(model, ws, {rows.data(), count}, a, arm_a, -1.0, first_row, C);
      arm_a += ws.motion[at(a)].r;
      a = model.body(a).parent;
    }
  }
}

}  // namespace

int constraint_rows(const Model& model) noexcept {
  int rows = static_cast<int>(model.couplings().size());
  for (const LoopJoint& loop : model.loops()) rows += loop.directions->rows;
  return rows;
}

void constraint_matrix(const Model& model, const Workspace& ws, MatrixX& C) noexcept {
  C.setZero();
  int row = 0;
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    add_loop_constraint(model, model.loops()[i], ws.loop_constraint[i], ws, row, C);
    row += ws.loop_constraint[i].rows();
  }
  for (const Coupling& coupling : model.couplings()) {
    C(row, coupling.v_dependent) += 1.0;
    C(row, coupling.v_of) -= coupling.ratio;
    ++row;
  }
}

ConstraintTarget::ConstraintTarget(const Model& model)
    : loop(model.loops().size()), coupling(VectorX::Zero(static_cast<Eigen::Index>(model.couplings().size()))) {}

void required_acceleration(const Workspace& ws, ConstraintTarget& out) noexcept {
  for (std::size_t i = 0; i < ws.loop_constraint.size(); ++i) out.loop[i] = ws.loop_constraint[i].bias;
  out.coupling = ws.coupling_bias;
}

void position_correction(const Model& model, const Workspace& ws, ConstraintTarget& out) noexcept {
  for (std::size_t i = 0; i < ws.loop_constraint.size(); ++i) {
    out.loop[i] = -blocked_part(ws.loop_constraint[i], model.length_m(), ws.loop_constraint[i].error);
  }
  out.coupling = -ws.coupling_error;
}

void velocity_correction(const Model& model, const Workspace& ws, ConstraintTarget& out) noexcept {
  for (std::size_t i = 0; i < ws.loop_constraint.size(); ++i) {
    out.loop[i] = -blocked_part(ws.loop_constraint[i], model.length_m(), ws.loop_constraint[i].rate);
  }
  out.coupling = -ws.coupling_rate;
}

void constraint_values(const Model& model, const Workspace& ws, const ConstraintTarget& motion, VectorX& out) noexcept {
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    const LoopConstraint& constraint = ws.loop_constraint[i];
    for (int r = 0; r < constraint.rows(); ++r) out[row++] = dot(constraint.G(r), motion.loop[i]);
  }
  out.tail(motion.coupling.size()) = motion.coupling;
}

}  // namespace kinloop
