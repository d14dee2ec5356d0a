// Owns the interface of a formulation: accelerations from state and loads. One file a method, an entry in registry.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/status.hpp"
#include "core/constraints/constraints.hpp"
#include "core/forces/loads.hpp"
#include "core/kinematics/workspace.hpp"
#include "core/model/state.hpp"

namespace kinloop {

/// What happened to the basis (coordinates and constraints in use), and to the answers. The counters are telemetry:
/// they do not alter the future.
struct BasisReport {
  long long switches = 0;      // changes to a better set
  long long singular = 0;      // evaluations at which the constraints lost rank
  long long fallbacks = 0;     // times that another formulation was asked, since an answer did not stand its check
  double quality = 1.0;        // at the start of the last step, between 0 (singular) and 1; it follows from that state
  double conditioning = 1.0;   // of what was solved there, between 0 and 1: rounding grows with its inverse
  double worst_closure = 0.0;  // the largest share of an acceleration that constraints miss, of answers that were taken
  double worst_change = 0.0;   // the largest share by which a second look would change an answer that was taken
  int failed_loop = -1;        // the loop joint, then coupling, that the last answer refused misses most
};

/// One formulation of forward dynamics with the memory it needs, for the model it was made for.
class Dynamics {
 public:
  Dynamics() = default;
  Dynamics(const Dynamics&) = delete;
  Dynamics& operator=(const Dynamics&) = delete;
  virtual ~Dynamics() = default;

  virtual std::string_view name() const noexcept = 0;

  /// From the motion, columns, loads and tau of the workspace: ws.vdot and ws.A. No allocation.
  virtual StepStatus solve(const Model& model, Workspace& ws) noexcept = 0;

  /// Whether solve() reads inertia that was added to ws.armature where the model has none: only at speeds where
  /// `added` is not zero. No allocation.
  virtual bool takes_armature(const VectorX& /*added*/) const noexcept { return true; }

  /// solve() for the sake of its factors: what the workspace holds is not of one state, and the answer is none.
  virtual StepStatus refactorize(const Model& model, Workspace& ws) noexcept { return solve(model, ws); }

  /// A step of iterative refinement with the factors of the last solve(): what changes when forces tau act along the
  /// speeds and loop constraints move by the gap, which holds blocked directions only. No allocation.
  virtual void refine(const VectorX& /*tau*/, const ConstraintTarget& /*gap*/, VectorX& change) noexcept {
    change.setZero();
  }
  /// The same for forces on bodies, at x_k, besides tau, which are summed up along the tree here; both are overwritten.
  /// A method that takes forces body by body does without the sum.
  virtual void refine_bodies(const Model& model, const Workspace& ws, std::vector<SpatialVector>& force, VectorX& tau,
                             const ConstraintTarget& gap, VectorX& change) noexcept;
  /// Whether the rank was lost when it was last decided, found by looking at all constraints together. Then loop
  /// constraints may ask for accelerations that do not exist.
  virtual bool is_singular() const noexcept { return false; }

  /// The next formulation, for the rest of this step; false where there is none. trust_again() ends that.
  virtual bool fall_back() noexcept { return false; }
  virtual void trust_again() noexcept {}

  /// Which constraints and coordinates count is decided in every solve() afresh, or, while held, as in the one before.
  /// Integrators hold it from the first evaluation of a step to the last: the stages between lie off the closed
  /// positions, where dependent constraints seem independent.
  virtual void freeze_basis() noexcept {}
  virtual void release_basis() noexcept {}

  /// The basis as the State keeps it from step to step: read before a step, written with its result.
  virtual void read_basis(const State& /*state*/) noexcept {}
  virtual void write_basis(State& /*state*/) const noexcept {}

  /// The protocol of the basis: begin_step(), then freeze_basis() behind the first evaluation, and end_step() where the
  /// step is done. Integrator::step() and evaluate() (core/integrators/stage.hpp) keep to it for all integrators.
  void begin_step(const State& state) noexcept {
    release_basis();
    read_basis(state);
  }
  void end_step(State& state) const noexcept { write_basis(state); }
  const BasisReport& report() const noexcept { return report_; }

  /// Moves dependent coordinates to where the independent ones of the basis want them, as far as closed forms go;
  /// what they leave open is for project(). No allocation.
  virtual void solve_dependents(VectorX& /*q*/) noexcept {}

  /// The smallest change of the speeds, weighed with inertia, that moves the loop constraints by `motion`; driven
  /// speeds stay. Uses what the last solve() left, which may be from a state nearby. Methods for trees have nothing to
  /// do. No allocation.
  virtual void project(const ConstraintTarget& /*motion*/, VectorX& step) noexcept { step.setZero(); }

 protected:
  /// Counts an evaluation at which fewer constraints are independent than at some before.
  void watch_rank(int rank) noexcept {
    if (rank < max_rank_) ++report_.singular;
    if (rank > max_rank_) max_rank_ = rank;
  }

  BasisReport report_;

 private:
  int max_rank_ = 0;
};

/// An entry of the table of formulations.
struct DynamicsKind {
  std::string_view name;
  std::string_view summary;
  /// Empty if the method can treat the model, else why not.
  std::string (*refusal)(const Model& model);
  std::unique_ptr<Dynamics> (*make)(const Model& model);
};

std::span<const DynamicsKind> dynamics_kinds() noexcept;

/// The choice that `auto` makes for this model, and why.
struct AutoChoice {
  std::string_view name;
  std::string reason;
};
AutoChoice choose_dynamics(const Model& model);

/// By public name, `auto` included; an error if there is no such formulation or it does not apply. Answers are
/// verified, and others stand ready to be asked (verified.hpp, verified_tree.hpp); `rfda` is not.
Result<std::unique_ptr<Dynamics>> make_dynamics(std::string_view name, const Model& model);
/// The formulation itself, whose answers nobody checks.
Result<std::unique_ptr<Dynamics>> make_bare_dynamics(std::string_view name, const Model& model);

/// Kinematics, forces, formulation: vdot and A for the given state and loads.
StepStatus accelerations(const Model& model, const double* q, const double* v, double time_s, const Loads& loads,
                         Dynamics& dynamics, Workspace& ws) noexcept;

inline StepStatus accelerations(const Model& model, const State& state, const Loads& loads, Dynamics& dynamics,
                                Workspace& ws) noexcept {
  return accelerations(model, state.q().data(), state.v().data(), state.time_s(), loads, dynamics, ws);
}

}  // namespace kinloop
