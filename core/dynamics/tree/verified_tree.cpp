// Inverse dynamics beside the sum of the magnitudes of its terms.
#include "core/dynamics/tree/verified_tree.hpp"

#include <algorithm>
#include <cmath>
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
        tau_(VectorX::Zero(model.nv())) {}

  std::string_view name() const noexcept override { return formulation_->name(); }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    if (formulation_->solve(model, ws) == StepStatus::kOk && obeys(model, ws)) return StepStatus::kOk;
    ++report_.fallbacks;
    const StepStatus status = rfda_->solve(model, ws);
    if (status != StepStatus::kOk) return status;
    return obeys(model, ws) ? StepStatus::kOk : StepStatus::kUnverified;
  }

  bool takes_armature(const VectorX& added) const noexcept override { return formulation_->takes_armature(added); }

  // A tree needs no basis, but some formulations keep one all the same.
  void read_basis(const State& state) noexcept override { formulation_->read_basis(state); }
  void write_basis(State& state) const noexcept override { formulation_->write_basis(state); }

 private:
  bool obeys(const Model& model, Workspace& ws) noexcept {
    update_body_accelerations(model, ws);
    joint_reactions(model, ws, {}, wrench_);
    generalized_forces(model, ws, wrench_, tau_);
    update_magnitudes(model, ws);
    for (int i = 0; i < model.nv(); ++i) {
      const CoordinateConstants& c = model.coordinate(i);
      if (c.motion >= 0) continue;
      const Magnitude& carried = magnitude_[at(c.body)];
      const double terms = length_of(ws.Hw[at(i)]) * carried.moment + length_of(ws.Hv[at(i)]) * carried.force +
                           std::abs(ws.armature[i] * ws.vdot[i]) + std::abs(ws.tau[i]);
      if (!(std::abs(ws.tau[i] - tau_[i]) <= kMissedShare * terms)) return false;  // what is not a number is wrong too
    }
    return true;
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
  VectorX tau_;
};

}  // namespace

std::unique_ptr<Dynamics> make_verified_tree(const Model& model, std::unique_ptr<Dynamics> formulation,
                                             std::unique_ptr<Dynamics> rfda) {
  return std::make_unique<VerifiedTree>(model, std::move(formulation), std::move(rfda));
}

}  // namespace kinloop
