// Owns EnergyAccount: where the energy of a motion goes, step by step.
//
// Powers are integrated by Simpson's rule. The middle of a step is that of the cubic through both ends,
//
//   x_m = (x_0 + x_1) / 2 + h / 8 (v_0 - v_1),   v_m = 3/2 (x_1 - x_0) / h - (v_0 + v_1) / 4,
//
// both of order 4, and no acceleration is needed. So the account adds no error of a lower order than any integrator
// here has, as long as forces are smooth; where a stop or a contact begins within a step, both are of order 1. The work
// of a force that is held over the step is that force times the way, exactly.
#pragma once

#include <memory>
#include <vector>

#include "core/dynamics/energy.hpp"
#include "core/integrators/energy_balance.hpp"
#include "core/integrators/integrator.hpp"
#include "core/model/state.hpp"

namespace kinloop {

/// After each step two sweeps of kinematics, three where there are loops or forces on bodies, four with both; three
/// evaluations of the dynamics more where joints are driven.
class EnergyAccount {
 public:
  /// The model must outlive it.
  explicit EnergyAccount(const Model& model);

  /// Starts again from this state. No allocation.
  void start(const State& state) noexcept;
  /// Whether the last state seen had this motion: if not, it was put there from outside. No allocation.
  bool ends_at(const State& state) const noexcept { return last_.q == state.q() && last_.v == state.v(); }

  /// After a step with these loads that led here from the last state seen. The integrator keeps what it projected from:
  /// ConstraintProjection::keep_unprojected(). No allocation with up to kMaxWrenches.
  void add(const State& state, const Loads& loads, const Integrator& integrator) noexcept;
  static constexpr std::size_t kMaxWrenches = 64;

  const EnergyBalance& balance() const noexcept { return balance_; }

 private:
  /// W, of what acts from outside.
  struct Powers {
    double actuators = 0.0, drives = 0.0, outside = 0.0;
  };
  struct Moment {
    explicit Moment(const Model& model)
        : q(VectorX::Zero(model.nq())), v(VectorX::Zero(model.nv())), tau(VectorX::Zero(model.nv())) {}
    VectorX q, v;
    VectorX tau;  // applied along the speeds
    double time_s = 0.0;
  };

  Energy energy_at(const VectorX& q, const VectorX& v, double time_s, double& elastic_J) noexcept;
  Powers powers(const Moment& moment, const Loads& loads) noexcept;
  Dissipation losses(const Moment& moment) const noexcept;
  double drive_W(const Moment& moment, const Loads& loads) noexcept;
  void find_loads(const Loads& loads, const Integrator& integrator) noexcept;
  void find_middle(double dt_s) noexcept;
  void close() noexcept;

  const Model& model_;
  Workspace ws_;
  Moment last_, middle_, now_;
  Dissipation last_losses_;
  bool has_loads_ = false;  // those of last_ are known
  double start_kinetic_J_ = 0.0, start_gravity_J_ = 0.0, start_elastic_J_ = 0.0;
  VectorX way_, rate_, turned_;         // along each speed
  std::unique_ptr<Dynamics> dynamics_;  // where joints are driven
  Loads drive_loads_;
  std::vector<SpatialVector> wrench_;
  VectorX force_;
  EnergyBalance balance_;
};

}  // namespace kinloop
