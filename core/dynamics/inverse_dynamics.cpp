// Newton-Euler sweeps: outward for accelerations, inward for wrenches.
#include "core/dynamics/inverse_dynamics.hpp"

#include "core/base/at.hpp"

namespace kinloop {

void update_body_accelerations(const Model& model, Workspace& ws) noexcept {
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    const SpatialVector& parent = ws.A[at(body.parent)];
    SpatialVector A{parent.angular, parent.linear + cross(parent.angular, ws.motion[at(k)].r)};
    for (int i = body.v; i < body.v + body.nv; ++i) {
      if (model.coordinate(i).motion >= 0) continue;
      A.angular += ws.vdot[i] * ws.Hw[at(i)];
      A.linear += ws.vdot[i] * ws.Hv[at(i)];
    }
    ws.A[at(k)] = A;
  }
}

void joint_reactions(const Model& model, const Workspace& ws, std::span<const SpatialVector> loops,
                     std::vector<SpatialVector>& wrench) noexcept {
  wrench[0] = SpatialVector{};
  for (int k = 1; k < model.body_count(); ++k) {
    const auto i = at(k);
    const BodyLoad& load = ws.load[i];
    const SpatialVector& A = ws.A[i];
    wrench[i].angular = load.J * A.angular + cross(load.mc, A.linear) - load.n;
    wrench[i].linear = model.body(k).mass * A.linear + cross(A.angular, load.mc) - load.f;
  }
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const LoopJoint& loop = model.loops()[i];
    SpatialVector& pred = wrench[at(loop.predecessor)];
    SpatialVector& succ = wrench[at(loop.successor)];
    pred = pred + shift_force(loops[i], ws.loop_constraint[i].arm_pred);
    succ = succ - shift_force(loops[i], ws.loop_constraint[i].arm_succ);
  }
  for (int k = model.body_count() - 1; k > 0; --k) {  // leaves first: a joint carries all that lies beyond it
    const auto i = at(k);
    SpatialVector& parent = wrench[at(model.body(k).parent)];
    parent.angular += wrench[i].angular + cross(ws.motion[i].r, wrench[i].linear);
    parent.linear += wrench[i].linear;
  }
}

void generalized_forces(const Model& model, const Workspace& ws, const std::vector<SpatialVector>& wrench,
                        VectorX& tau) noexcept {
  for (int i = 0; i < model.nv(); ++i) {
    const CoordinateConstants& c = model.coordinate(i);
    const SpatialVector& w = wrench[at(c.body)];
    const auto s = at(i);
    tau[i] = dot(ws.Hw[s], w.angular) + dot(ws.Hv[s], w.linear) + ws.armature[i] * ws.vdot[i];
  }
}

}  // namespace kinloop
