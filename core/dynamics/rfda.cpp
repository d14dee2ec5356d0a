// Recursive forward dynamics with articulated inertias: paper 004, equations (11)-(12); MATH 3.3.
//
//   paper            here
//   Mh_k, fh_k       Articulated {J, L, M}, {n, f}, at x_k, world axes
//   H_k              columns [Hw; Hv], one speed after the other: a joint of d speeds is d nodes (MATH 0)
//   U, D, e          Elimination
//   B_k = X(r)       shifted(): moves an inertia from x_k to the parent's x
//
// A means A^ here, so no d_k appears: the loads already contain -I A_t.
#include <vector>

#include "core/dynamics/formulations.hpp"

namespace kinloop::formulations {
namespace {

/// Symmetric 6x6 [J L^T; L M] and a force: n = J al + L^T a - n0, f = L al + M a - f0.
struct Articulated {
  Mat3 J, L, M;
  Vec3 n, f;
};

/// What the outward sweep needs of one eliminated speed.
struct Elimination {
  Vec3 Un, Uf;
  double inverse_D = 0.0;
  double e = 0.0;
};

/// D below this share of its joint's inertia scale is rounding noise: the speed moves nothing.
constexpr double kSingular = 1e-14;

inline Articulated rigid(const BodyConstants& body, const BodyLoad& load) noexcept {
  const double x = load.mc.x();
  const double y = load.mc.y();
  const double z = load.mc.z();
  const double m = body.mass;
  return {load.J,
          Mat3(Vec3(0, -z, y), Vec3(z, 0, -x), Vec3(-y, x, 0)),  // -[mc]x
          Mat3(Vec3(m, 0, 0), Vec3(0, m, 0), Vec3(0, 0, m)), load.n, load.f};
}

inline Vec3 transposed_times(const Mat3& m, const Vec3& a) noexcept {
  return {dot(m.c[0], a), dot(m.c[1], a), dot(m.c[2], a)};
}

/// m - u s w^T, column by column.
inline void subtract_outer(Mat3& m, const Vec3& u, const Vec3& scaled) noexcept {
  m.c[0] -= u * scaled.x();
  m.c[1] -= u * scaled.y();
  m.c[2] -= u * scaled.z();
}

/// (11): eliminates one speed from the articulated inertia. Returns whether D is usable.
inline bool eliminate(Articulated& h, double e, double D, double scale, Elimination& out) noexcept {
  const double inverse_D = 1.0 / D;
  const Vec3 sn = inverse_D * out.Un;
  const Vec3 sf = inverse_D * out.Uf;
  subtract_outer(h.J, out.Un, sn);
  subtract_outer(h.L, out.Uf, sn);
  subtract_outer(h.M, out.Uf, sf);
  h.n -= e * sn;
  h.f -= e * sf;
  out.inverse_D = inverse_D;
  out.e = e;
  return D > kSingular * scale;
}

inline bool eliminate_revolute(Articulated& h, const Vec3& z, double tau, double armature, Elimination& out) noexcept {
  out.Un = h.J * z;
  out.Uf = h.L * z;
  return eliminate(h, tau + dot(z, h.n), armature + dot(z, out.Un), h.J(0, 0) + h.J(1, 1) + h.J(2, 2), out);
}

inline bool eliminate_general(Articulated& h, const Vec3& Hw, const Vec3& Hv, double tau, double armature,
                              Elimination& out) noexcept {
  out.Un = h.J * Hw + transposed_times(h.L, Hv);
  out.Uf = h.L * Hw + h.M * Hv;
  const double e = tau + dot(Hw, h.n) + dot(Hv, h.f);
  const double D = armature + dot(Hw, out.Un) + dot(Hv, out.Uf);
  const double scale = dot(Hw, Hw) * (h.J(0, 0) + h.J(1, 1) + h.J(2, 2)) +
                       dot(Hv, Hv) * (h.M(0, 0) + h.M(1, 1) + h.M(2, 2));
  return eliminate(h, e, D, scale, out);
}

/// B^T h B with B = X(r): L' = L - M [r]x, J' = J + S + S^T with S = [r]x (L - M [r]x / 2).
inline void add_shifted(const Articulated& h, const Vec3& r, Articulated& parent) noexcept {
  const Mat3 N = times_skew(h.M, r);
  const Mat3 half(h.L.c[0] - 0.5 * N.c[0], h.L.c[1] - 0.5 * N.c[1], h.L.c[2] - 0.5 * N.c[2]);
  const Mat3 S(cross(r, half.c[0]), cross(r, half.c[1]), cross(r, half.c[2]));
  const Mat3 St = transposed(S);
  for (std::size_t i = 0; i < 3; ++i) {
    parent.J.c[i] += h.J.c[i] + (S.c[i] + St.c[i]);
    parent.L.c[i] += h.L.c[i] - N.c[i];
    parent.M.c[i] += h.M.c[i];
  }
  parent.n += h.n + cross(r, h.f);
  parent.f += h.f;
}

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
