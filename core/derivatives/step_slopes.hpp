// Owns StepSlopes: the derivatives of one step of a mechanism under held forces, from its start to its closed end.
//
// Stages of an explicit integrator by the chain rule, implicit ones by what defines them
// (implicit_step_slopes.hpp); the projection onto closed loops by differentiating what defines
// its result: an end that is closed, reached by a change that the inertia of the last evaluation made the smallest
// (docs/theory/derivatives.md §6).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/derivatives/acceleration_slopes.hpp"
#include "core/derivatives/implicit_step_slopes.hpp"
#include "core/derivatives/parameter_forces.hpp"
#include "core/forces/load_slopes.hpp"
#include "core/integrators/free_rotation.hpp"
#include "core/integrators/runge_kutta.hpp"
#include "core/math/lu.hpp"

namespace kinloop {

class StepSlopes {
 public:
  /// Why the steps of this integrator cannot be differentiated; empty where they can.
  static std::string refusal(std::string_view integrator);

  /// The model must outlive it; there is no refusal.
  StepSlopes(const Model& model, std::string_view integrator, const Stabilization& stabilization);

  /// See AccelerationSlopes.
  void set_independent(const std::vector<char>& independent) noexcept;

  /// What dq and dv are at the start.
  enum class From {
    kAny,
    kUnits,  // of a tree of nv dofs: each coordinate in turn, then each speed, then no change; they may hold anything
  };

  /// The last columns belong to parameters; null: none do. It must outlive what it is set for.
  void set_parameters(ParameterForces* parameters) noexcept { parameters_ = parameters; }

  /// A step that led from `before` to `after` (of no account for trees) with these loads, made by that formulation.
  struct Step {
    const State& before;
    const State& after;
    const Loads& loads;
    const LoadSlopes& d_loads;  // held, but for what implicit steps take into account
    double dt_s;
    Dynamics& dynamics;
  };
  /// dq, dv (nv rows) are those at its start, then those at its end. kSingularMass where the loops do not determine the
  /// dependents. Allocates where the number of columns changes.
  StepStatus advance(const Step& step, From from, MatrixX& dq, MatrixX& dv) noexcept;
  /// Before the closing of loops.
  Trial& end() noexcept { return trial_; }

 private:
  void accelerate(const Step& step, double time_s, const Trial& at, From from, const MatrixX& dq,
                  const MatrixX& dv) noexcept;
  const MatrixX& d_forces(const Step& step, double time_s, const Trial& at) noexcept;
  StepStatus run_stages(const Step& step, From from, MatrixX& dq, MatrixX& dv) noexcept;
  /// Units are not needed as matrices: a step of semi-implicit Euler, scalar coordinates.
  bool runs_units() const noexcept { return stages_.empty() && !is_implicit_ && model_.quaternion_bodies().empty(); }
  void run_units(const Step& step, MatrixX& dq, MatrixX& dv) noexcept;
  StepStatus run_euler(const Step& step, From from, MatrixX& dq, MatrixX& dv) noexcept;
  StepStatus project(const Step& step, MatrixX& dq, MatrixX& dv) noexcept;
  const MatrixX& metric() const noexcept { return is_implicit_ ? implicit_.metric(slopes_) : slopes_.forces().M(); }
  bool fill_end_equations(const MatrixX& C) noexcept;
  /// How the smallest change x, of the last evaluation, follows its positions: forces that it lacks.
  void find_lack(const Step& step, const VectorX& x) noexcept;
  void solve_end(const MatrixX& C, MatrixX& change) noexcept;

  const Model& model_;
  std::span<const RungeKuttaStage> stages_;  // none: semi-implicit Euler, or implicit
  bool is_implicit_;
  Stabilization stabilization_;
  AccelerationSlopes slopes_;
  ImplicitStepSlopes implicit_;
  FreeRotation rotation_;
  ParameterForces* parameters_ = nullptr;
  MotionSlopes motion_;
  InverseDynamicsSlopes lack_;
  LoopSlopes end_loops_;
  std::vector<int> free_;
  Workspace ws_, end_ws_;
  Trial start_, trial_;
  StageSlopes stage_;
  VectorX increment_, rate_, increment_sum_, velocity_sum_, no_vdot_, change_, multipliers_;
  MatrixX C_;
  LuFactors end_;
  // As wide as what was last asked for.
  MatrixX dtau_, da_, d_increment_, d_rate_, d_increment_sum_, d_velocity_sum_, force_, right_, full_;
};

}  // namespace kinloop
