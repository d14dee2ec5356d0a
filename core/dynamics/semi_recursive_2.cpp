// Semi-recursive method II: one common reference point for all bodies, paper 003 §4 and 6.2; MATH 3.2.
//
//   paper            here
//   common point O   x of the first body: near the mechanism, wherever in the world that is
//   b_k              column at O of a speed: b_w, b_v
//   M0_k, Q0_k       inertia and load of body k at O
//   Mc_k, Qc_k       composite_: their sums over the subtree of body k, plain additions since all sit at O
//   M, h             joint-space inertia and right side
//
// Velocity terms d_k are part of A_t, which the loads already contain.
#include <vector>

#include "core/dynamics/formulations.hpp"
#include "core/dynamics/joint_space.hpp"

namespace kinloop::formulations {
namespace {

/// A rigid composite at O: ten numbers of inertia, six of load.
struct Composite {
  Mat3 J;
  Vec3 mc;
  double mass = 0.0;
  Vec3 n, f;
};

/// -[a]x [b]x - [b]x [a]x - m [a]x [a]x, what moving an inertia by a adds: b is the first moment before the move.
inline Mat3 parallel_axis(const Vec3& a, const Vec3& b, double m) noexcept {
  const Vec3 s = b + (0.5 * m) * a;  // -[a][s] - [s][a]
  const double diagonal = 2.0 * dot(a, s);
  Mat3 result;
  for (int i = 0; i < 3; ++i) result.c[static_cast<std::size_t>(i)] = -(s[i] * a + a[i] * s);
  return {result.c[0] + Vec3(diagonal, 0, 0), result.c[1] + Vec3(0, diagonal, 0), result.c[2] + Vec3(0, 0, diagonal)};
}

class SemiRecursive2 final : public Dynamics {
 public:
  explicit SemiRecursive2(const Model& model)
      : space_(model),
        composite_(static_cast<std::size_t>(model.body_count())),
        from_O_(composite_.size()),
        b_w_(static_cast<std::size_t>(tree_.size())),
        b_v_(b_w_.size()) {}

  std::string_view name() const noexcept override { return kSemiRecursive2.name; }

  void hold_choice() noexcept override { space_.hold_choice(); }
  void release_choice() noexcept override { space_.release_choice(); }
  void correct(const ClosureMotion& motion, VectorX& step) noexcept override { space_.correct(motion, step); }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    outward(model, ws);
    inward(model, ws);
    const StepStatus status = space_.solve(model, ws);
    if (status == StepStatus::kOk && !space_.held()) {
      watch_rank(space_.rank());
      report_.quality = space_.quality();
    }
    return status;
  }

 private:
  /// b_k, M0_k and Q0_k.
  void outward(const Model& model, const Workspace& ws) noexcept {
    for (int k = 1; k < model.body_count(); ++k) {
      const auto i = static_cast<std::size_t>(k);
      const int parent = model.body(k).parent;
      // Summed along the path, not subtracted in the world, so that no digits are lost far from the origin.
      from_O_[i] =
          parent > 0 ? from_O_[static_cast<std::size_t>(parent)] + ws.motion[i].r : ws.motion[i].x - ws.motion[1].x;
      const Vec3& y = from_O_[i];
      const BodyLoad& load = ws.load[i];
      const double mass = model.body(k).mass;
      composite_[i] = {load.J + parallel_axis(y, load.mc, mass), load.mc + mass * y, mass, load.n + cross(y, load.f),
                       load.f};
    }
    for (std::size_t i = 0; i < b_w_.size(); ++i) {
      const auto s = static_cast<std::size_t>(tree_.speed[i]);
      b_w_[i] = ws.Hw[s];
      b_v_[i] = ws.Hv[s] + cross(from_O_[static_cast<std::size_t>(tree_.body[i])], ws.Hw[s]);
    }
  }

  void inward(const Model& model, const Workspace& ws) noexcept {
    for (int k = model.body_count() - 1; k > 0; --k) {
      const int parent = model.body(k).parent;
      if (parent <= 0) continue;
      const Composite& c = composite_[static_cast<std::size_t>(k)];
      Composite& p = composite_[static_cast<std::size_t>(parent)];
      p = {p.J + c.J, p.mc + c.mc, p.mass + c.mass, p.n + c.n, p.f + c.f};
    }
    for (int i = 0; i < tree_.size(); ++i) {
      const auto node = static_cast<std::size_t>(i);
      const Composite& c = composite_[static_cast<std::size_t>(tree_.body[node])];
      const Vec3 y_n = c.J * b_w_[node] + cross(c.mc, b_v_[node]);  // y = Mc_k b_k
      const Vec3 y_f = c.mass * b_v_[node] + cross(b_w_[node], c.mc);
      for (int j = i; j >= 0; j = tree_.parent[static_cast<std::size_t>(j)]) {
        const auto ancestor = static_cast<std::size_t>(j);
        M_(i, j) = dot(b_w_[ancestor], y_n) + dot(b_v_[ancestor], y_f);  // M_jk = b_j^T y
      }
      M_(i, i) += model.coordinate(tree_.speed[node]).armature;
      h_[i] = ws.tau[tree_.speed[node]] + dot(b_w_[node], c.n) + dot(b_v_[node], c.f);  // h_k = tau_k + b_k^T Qc_k
    }
  }

  JointSpace space_;
  const SpeedTree& tree_ = space_.tree();
  std::vector<Composite> composite_;
  std::vector<Vec3> from_O_;  // x_k - O
  std::vector<Vec3> b_w_, b_v_;
  MatrixX& M_ = space_.M();
  VectorX& h_ = space_.h();
};

}  // namespace

constinit const DynamicsKind kSemiRecursive2{
    "semi_recursive_2", "joint-space inertia at a common reference point (003 sec. 4)", accept_all,
    [](const Model& model) -> std::unique_ptr<Dynamics> { return std::make_unique<SemiRecursive2>(model); }};

}  // namespace kinloop::formulations
