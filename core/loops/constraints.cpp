// Fills the rows: each speed between the two ends of a loop and their last common body moves one end against the other.
#include "core/loops/constraints.hpp"

#include <algorithm>
#include <cmath>

namespace kinloop {
namespace {

/// Adds `sign` times what the speeds of body k do along every row; `arm` leads from x_k to the origin of B.
void add_columns(const Model& model, const Workspace& ws, const Closure& closure, int k, const Vec3& arm, double sign,
                 int first_row, MatrixX& C) noexcept {
  const BodyConstants& body = model.body(k);
  for (int i = body.v; i < body.v + body.nv; ++i) {
    const Vec3& Hw = ws.Hw[static_cast<std::size_t>(i)];
    const Vec3 v = ws.Hv[static_cast<std::size_t>(i)] + cross(Hw, arm);
    for (int r = 0; r < closure.rows; ++r) {
      const auto row = static_cast<std::size_t>(r);
      C(first_row + r, i) += sign * (dot(closure.Gw[row], Hw) + dot(closure.Gv[row], v));
    }
  }
}

void add_closure(const Model& model, const LoopJoint& loop, const Closure& closure, const Workspace& ws, int first_row,
                 MatrixX& C) noexcept {
  int a = loop.predecessor;
  int b = loop.successor;
  Vec3 arm_a = closure.arm_pred;
  Vec3 arm_b = closure.arm_succ;
  // Up to the last common body only: what lies before it moves both ends alike.
  while (a != b) {
    if (b > a) {
      add_columns(model, ws, closure, b, arm_b, 1.0, first_row, C);
      arm_b += ws.motion[static_cast<std::size_t>(b)].r;
      b = model.body(b).parent;
    } else {
      add_columns(model, ws, closure, a, arm_a, -1.0, first_row, C);
      arm_a += ws.motion[static_cast<std::size_t>(a)].r;
      a = model.body(a).parent;
    }
  }
}

double length_of(const Vec3& a) noexcept { return std::sqrt(dot(a, a)); }

}  // namespace

int constraint_rows(const Model& model) noexcept {
  int rows = static_cast<int>(model.couplings().size());
  for (const LoopJoint& loop : model.loops()) rows += 6 - joint_kind(loop.type).nv;
  return rows;
}

Constraints::Constraints(const Model& model)
    : length_m(characteristic_length(model)),
      C(MatrixX::Zero(constraint_rows(model), model.nv())),
      g(VectorX::Zero(constraint_rows(model))) {}

void evaluate_constraints(const Model& model, const double* q, const Workspace& ws, Constraints& out) noexcept {
  out.C.setZero();
  out.largest_distance_m = out.largest_angle_rad = 0.0;
  int row = 0;
  Closure closure;
  for (const LoopJoint& loop : model.loops()) {
    evaluate_closure(model, loop, out.length_m, ws, closure);
    add_closure(model, loop, closure, ws, row, out.C);
    for (int r = 0; r < closure.rows; ++r) out.g[row + r] = closure.g[static_cast<std::size_t>(r)];
    row += closure.rows;
    out.largest_distance_m = std::max(out.largest_distance_m, length_of(closure.position_error));
    out.largest_angle_rad = std::max(out.largest_angle_rad, length_of(closure.rotation_error));
  }
  for (const Coupling& coupling : model.couplings()) {
    out.C(row, coupling.v_dependent) += 1.0;
    out.C(row, coupling.v_of) -= coupling.ratio;
    out.g[row] = q[coupling.q_dependent] - coupling.ratio * q[coupling.q_of] - coupling.offset;
    ++row;
  }
}

}  // namespace kinloop
