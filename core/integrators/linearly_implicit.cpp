// A linearly implicit method for stiff springs, dampers, bushings, end stops: a W-method of order 2, L-stable.
//
//   y = (increment, v),  y' = f(t, y),  A = d f / d y, of the force elements only
//   (1 - g h A) k1 = f(t, y)
//   (1 - g h A) k2 = f(t + g h, y + g h k1) - 2 g (k1 - f1)
//   y_new = y + h (b1 k1 + b2 k2),  b1 = -1/sqrt(2),  b2 = 1 + 1/sqrt(2),  g = 1 - 1/sqrt(2)
//
// Order conditions of W-methods (Steihaug and Wolfbrandt 1979; Hairer and Wanner IV.7), any A: b1 + b2 = 1, b2 a21 =
// 1/2, b2 g21 + g (b1 + b2) = 0. With a21 = g the first stage is itself an implicit Euler step of g h, so that f is
// never asked at a state which a stiff element would have prevented. g21 h A k1 is written as -2 g (k1 - f1).
//
// With K, C from ForceTangent, A = [0 1; -M^-1 K, -M^-1 C], and each stage costs one solve with W = M + g h C + (g h)^2
// K:
//   k_v = g_v - g h W^-1 (C g_v + K (g_q + g h g_v)),  k_q = g_q + g h k_v.
// Rows and columns of driven speeds are left out of W: their k_v is given.
#include <numbers>
#include <vector>

#include "core/dynamics/mass_matrix.hpp"
#include "core/forces/force_tangent.hpp"
#include "core/integrators/configuration.hpp"
#include "core/integrators/methods.hpp"
#include "core/integrators/stage.hpp"
#include "core/math/cholesky.hpp"

namespace kinloop::integrators {
namespace {

constexpr double kHalfRoot = 0.5 * std::numbers::sqrt2;
constexpr double kGamma = 1.0 - kHalfRoot;
constexpr double kWeight1 = -kHalfRoot;
constexpr double kWeight2 = 1.0 + kHalfRoot;

std::vector<int> free_speeds(const Model& model) {
  std::vector<int> speeds;
  for (int i = 0; i < model.nv(); ++i) {
    if (model.coordinate(i).motion < 0) speeds.push_back(i);
  }
  return speeds;
}

/// d(increment)/dt and dv/dt.
struct Slope {
  explicit Slope(const Model& model) : q(VectorX::Zero(model.nv())), v(VectorX::Zero(model.nv())) {}

  VectorX q, v;
};

class LinearlyImplicit final : public Integrator {
 public:
  explicit LinearlyImplicit(const Model& model)
      : free_(free_speeds(model)),
        tangent_(model),
        composite_(static_cast<std::size_t>(model.body_count())),
        M_(MatrixX::Zero(model.nv(), model.nv())),
        W_(MatrixX::Zero(free_count(), free_count())),
        reduced_(VectorX::Zero(free_count())),
        start_(model),
        trial_(model),
        f1_(model),
        k1_(model),
        k2_(model),
        increment_(VectorX::Zero(model.nv())),
        force_(VectorX::Zero(model.nv())) {}

  std::string_view name() const noexcept override { return kLinearlyImplicit.name; }

  StepStatus step(const Model& model, const Loads& loads, double dt_s, Dynamics& dynamics, State& state,
                  Workspace& ws) noexcept override {
    const double gh_s = kGamma * dt_s;
    begin_step(model, state, start_);
    StepStatus status = evaluate_stage(model, state.time_s(), loads, dynamics, start_, ws);
    if (status != StepStatus::kOk) return status;
    f1_.q = start_.v;
    f1_.v = ws.vdot;
    if (!prepare(model, dt_s, ws)) return start_.v.allFinite() ? StepStatus::kSingularMass : StepStatus::kNotFinite;
    k1_.q = f1_.q;
    k1_.v = f1_.v;
    solve(gh_s, k1_);

    increment_ = gh_s * k1_.q;
    trial_.v = start_.v + gh_s * k1_.v;
    advance_configuration(model, start_.q.data(), increment_.data(), trial_.q.data());
    status = evaluate_stage(model, state.time_s() + gh_s, loads, dynamics, trial_, ws);
    if (status != StepStatus::kOk) return status;
    increment_rate(model, increment_.data(), trial_.v.data(), k2_.q.data());
    k2_.q -= (2.0 * kGamma) * (k1_.q - f1_.q);
    k2_.v = ws.vdot - (2.0 * kGamma) * (k1_.v - f1_.v);
    solve(gh_s, k2_);

    increment_ = dt_s * (kWeight1 * k1_.q + kWeight2 * k2_.q);
    trial_.v = start_.v + dt_s * (kWeight1 * k1_.v + kWeight2 * k2_.v);
    advance_configuration(model, start_.q.data(), increment_.data(), trial_.q.data());
    return accept_step(model, dt_s, trial_, state);
  }

 private:
  Eigen::Index free_count() const noexcept { return static_cast<Eigen::Index>(free_.size()); }
  int speed_of(Eigen::Index row) const noexcept { return free_[static_cast<std::size_t>(row)]; }

  /// K, C and the factor of W at the start of the step.
  bool prepare(const Model& model, double dt_s, const Workspace& ws) noexcept {
    if (tangent_.is_zero()) return true;
    const double gh_s = kGamma * dt_s;
    tangent_.update(model, start_.q.data(), start_.v.data(), dt_s, ws);
    mass_matrix(model, ws, composite_, M_);
    for (Eigen::Index c = 0; c < free_count(); ++c) {
      for (Eigen::Index r = c; r < free_count(); ++r) {
        const int i = speed_of(r);
        const int j = speed_of(c);
        W_(r, c) = M_(i, j) + gh_s * (tangent_.C()(i, j) + gh_s * tangent_.K()(i, j));
      }
    }
    return factorize_cholesky(W_);
  }

  /// From the right side g to k, in place.
  void solve(double gh_s, Slope& g) noexcept {
    if (!tangent_.is_zero()) {
      increment_ = g.q + gh_s * g.v;
      force_.noalias() = tangent_.C() * g.v;
      force_.noalias() += tangent_.K() * increment_;
      for (Eigen::Index r = 0; r < free_count(); ++r) reduced_[r] = force_[speed_of(r)];
      solve_cholesky(W_, reduced_);
      for (Eigen::Index r = 0; r < free_count(); ++r) g.v[speed_of(r)] -= gh_s * reduced_[r];
    }
    g.q += gh_s * g.v;
  }

  std::vector<int> free_;
  ForceTangent tangent_;
  std::vector<CompositeInertia> composite_;
  MatrixX M_, W_;
  VectorX reduced_;
  Trial start_, trial_;
  Slope f1_, k1_, k2_;
  VectorX increment_, force_;
};

}  // namespace

constinit const IntegratorKind kLinearlyImplicit{
    "linearly_implicit", "two evaluations and a factorization, order 2, for stiff springs, dampers and end stops", 2,
    [](const Model& model) -> std::unique_ptr<Integrator> { return std::make_unique<LinearlyImplicit>(model); }};

}  // namespace kinloop::integrators
