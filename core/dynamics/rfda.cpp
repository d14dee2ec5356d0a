// Recursive forward dynamics with articulated inertias: paper 004, equations (11)-(12); MATH 3.3.
//
//   paper            here
//   Mh_k, fh_k       Articulated {J, L, M}, {n, f}, at x_k, world axes (articulated.hpp)
//   H_k              columns [Hw; Hv], one speed after the other: a joint of d speeds is d nodes (MATH 0)
//   U, D, e          Elimination
//   B_k = X(r)       shifted(): moves an inertia from x_k to the parent's x
//
// A means A^ here, so no d_k appears: the loads already contain -I A_t.
#include <vector>

#include "core/dynamics/articulated.hpp"
#include "core/dynamics/formulations.hpp"

namespace kinloop::formulations {
namespace {

class Rfda final : public Dynamics {
 public:
  explicit Rfda(const Model& model)
      : h_(static_cast<std::size_t>(model.body_count())), eliminated_(static_cast<std::size_t>(model.nv())) {}

  std::string_view name() const noexcept override { return kRfda.name; }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    for (int k = 1; k < model.body_count(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      h_[i] = rigid(model.body(k), ws.load[i]);
    }
    if (!inward(model, ws)) return StepStatus::kSingularMass;
    outward(model, ws);
    return StepStatus::kOk;
  }

 private:
  bool inward(const Model& model, const Workspace& ws) noexcept {
    bool regular = true;
    for (int k = model.body_count() - 1; k > 0; --k) {
      const BodyConstants& body = model.body(k);
      Articulated& h = h_[static_cast<std::size_t>(k)];
      // The last speed first: it is the one next to the body.
      for (int i = body.v + body.nv - 1; i >= body.v; --i) {
        const auto s = static_cast<std::size_t>(i);
        const CoordinateConstants& c = model.coordinate(i);
        if (c.motion >= 0) continue;
        const bool usable = body.joint == JointType::kRevolute
                                ? eliminate_revolute(h, ws.Hw[s], ws.tau[i], c.armature, eliminated_[s])
                                : eliminate_general(h, ws.Hw[s], ws.Hv[s], ws.tau[i], c.armature, eliminated_[s]);
        regular = regular && usable;
      }
      if (body.parent > 0) {
        add_shifted(h, ws.motion[static_cast<std::size_t>(k)].r, h_[static_cast<std::size_t>(body.parent)]);
      }
    }
    return regular;
  }

  void outward(const Model& model, Workspace& ws) const noexcept {
    for (int k = 1; k < model.body_count(); ++k) {
      const BodyConstants& body = model.body(k);
      const Pair& parent = ws.A[static_cast<std::size_t>(body.parent)];
      Vec3 al = parent.angular;
      Vec3 a = parent.linear + cross(parent.angular, ws.motion[static_cast<std::size_t>(k)].r);
      for (int i = body.v; i < body.v + body.nv; ++i) {  // (12)
        const auto s = static_cast<std::size_t>(i);
        if (model.coordinate(i).motion >= 0) {
          ws.vdot[i] = ws.prescribed[i];
          continue;
        }
        const Elimination& el = eliminated_[s];
        const double vdot = el.inverse_D * (el.e - dot(el.Un, al) - dot(el.Uf, a));
        ws.vdot[i] = vdot;
        al += vdot * ws.Hw[s];
        a += vdot * ws.Hv[s];
      }
      ws.A[static_cast<std::size_t>(k)] = {al, a};
    }
  }

  std::vector<Articulated> h_;
  std::vector<Elimination> eliminated_;
};

}  // namespace

constinit const DynamicsKind kRfda{
    "rfda", "articulated inertias, O(n) (004 eq. 11-12)", refuse_loops,
    [](const Model& model) -> std::unique_ptr<Dynamics> { return std::make_unique<Rfda>(model); }};

}  // namespace kinloop::formulations
