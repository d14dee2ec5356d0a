// Inverse dynamics beside the sum of the magnitudes of its terms; what it misses is also what refinement starts from.
#include "core/dynamics/tree/verified_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/at.hpp"
#include "core/dynamics/inverse_dynamics.hpp"

namespace kinloop {
namespace {

/// What an equation of motion may miss of the terms it consists of.
constexpr double kMissedShare = 1e-10;

double length_of(const Vec3& a) noexcept { return std::sqrt(dot(a, a)); }

/// The magnitudes of what a joint carries, which cancel where the wrench itself is small.
struct Magnitude {
  double moment = 0.0;
  double force = 0.0;
};

class VerifiedTree final : public Dynamics {
 public:
  VerifiedTree(const Model& model, std::unique_ptr<Dynamics> formulation, std::unique_ptr<Dynamics> rfda)
      : formulation_(std::move(formulation)),
        rfda_(std::move(rfda)),
        wrench_(at(model.body_count())),
        magnitude_(wrench_.size()),
        no_gap_(model),
        tau_(VectorX::Zero(model.nv())),
        missing_(VectorX::Zero(model.nv())),
        change_(VectorX::Zero(model.nv())) {
    no_gap_.is_zero = true;
  }

  std::string_view name() const noexcept override { return formulation_->name(); }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    if (formulation_->solve(model, ws) == StepStatus::kOk) {
      double missed = missed_share(model, ws);
      if (missed > 0.0 && missed <= kMissedShare) missed = refined(model, ws, missed);
      if (missed <= kMissedShare) return StepStatus::kOk;
    }
    ++report_.fallbacks;
    const StepStatus status = rfda_->solve(model, ws);
    if (status != StepStatus::kOk) return status;
    return missed_share(model, ws) <= kMissedShare ? StepStatus::kOk : StepStatus::kUnverified;
  }

  bool takes_armature(const VectorX& added) const noexcept override { return formulation_->takes_armature(added); }

  // A tree needs no basis, but some formulations keep one all the same.
  void read_basis(const State& state) noexcept override { formulation_->read_basis(state); }
  void write_basis(State& state) const noexcept override { formulation_->write_basis(state); }

 private:
  /// The largest share that an equation of motion misses of its terms; infinite where something is not a number.
  double missed_share(const Model& model, Workspace& ws) noexcept {
    update_body_accelerations(model, ws);
    joint_reactions(model, ws, {}, wrench_);
    generalized_forces(model, ws, wrench_, tau_);
    update_magnitudes(model, ws);
    double worst = 0.0;
    missing_ = ws.tau - tau_;
    for (int i = 0; i < model.nv(); ++i) {
      const CoordinateConstants& c = model.coordinate(i);
      if (c.motion >= 0) continue;
      const Magnitude& carried = magnitude_[at(c.body)];
      const double terms = length_of(ws.Hw[at(i)]) * carried.moment + length_of(ws.Hv[at(i)]) * carried.force +
                           std::abs(ws.armature[i] * ws.vdot[i]) + std::abs(ws.tau[i]);
      const double missed = std::abs(missing_[i]);
      if (missed <= worst * terms) continue;
      worst = missed / terms;
      if (!std::isfinite(worst)) return std::numeric_limits<double>::infinity();
    }
    return worst;
  }

  /// One step of iterative refinement: grams beside tonnes, millimetres beside a hundred metres cost digits that the
  /// equations themselves, body by body, still have; against terms of tonnes what is missed of grams is no share at
  /// all, so that every answer is refined. Methods without such factors leave it as it is.
  double refined(const Model& model, Workspace& ws, double missed) noexcept {
    formulation_->refine(missing_, no_gap_, change_);
    for (const int i : model.driven_speeds()) change_[i] = 0.0;
    if (change_.isZero(0.0)) return missed;
    ws.vdot += change_;
    return missed_share(model, ws);
  }

  void update_magnitudes(const Model& model, const Workspace& ws) noexcept {
    magnitude_[0] = {};
    for (int k = 1; k < model.body_count(); ++k) {
      const BodyLoad& load = ws.load[at(k)];
      const SpatialVector& A = ws.A[at(k)];
      const double arm = length_of(load.mc);
      magnitude_[at(k)] = {length_of(load.J * A.angular) + arm * length_of(A.linear) + length_of(load.n),
                           model.body(k).mass * length_of(A.linear) + arm * length_of(A.angular) + length_of(load.f)};
    }
    for (int k = model.body_count() - 1; k > 0; --k) {
      const Magnitude& own = magnitude_[at(k)];
      Magnitude& parent = magnitude_[at(model.body(k).parent)];
      parent.moment += own.moment + length_of(ws.motion[at(k)].r) * own.force;
      parent.force += own.force;
    }
  }

  std::unique_ptr<Dynamics> formulation_, rfda_;
  std::vector<SpatialVector> wrench_;
  std::vector<Magnitude> magnitude_;
  ConstraintTarget no_gap_;
  VectorX tau_, missing_, change_;
};

}  // namespace

std::unique_ptr<Dynamics> make_verified_tree(const Model& model, std::unique_ptr<Dynamics> formulation,
                                             std::unique_ptr<Dynamics> rfda) {
  return std::make_unique<VerifiedTree>(model, std::move(formulation), std::move(rfda));
}

}  // namespace kinloop
