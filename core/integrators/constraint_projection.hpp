// Owns ConstraintProjection: keeps loops closed over millions of steps.
//
// Accelerations that obey the constraints leave positions and velocities free to drift. Projection moves both back
// after every step, by the smallest change weighed with inertia. Baumgarte's method, 003 (60), lets accelerations pull
// errors towards zero: cheaper, never exact, and no help near singular positions (docs/theory/integrators.md §5).
#pragma once

#include <memory>

#include "core/base/name_table.hpp"
#include "core/dynamics/forward_dynamics.hpp"

namespace kinloop {

class LoopSpeeds;

enum class StabilizationKind { kProjection, kBaumgarte, kNone };

struct Stabilization {
  StabilizationKind kind = StabilizationKind::kProjection;
  /// Loops count as closed to this: rad, distances in units of the mechanism's length; velocities relative to the
  /// largest speed. Never finer than the coordinates themselves are rounded.
  double tolerance = 1e-11;
  int max_iterations = 10;  // of positions, and again of velocities
  /// A step that leaves a loop open by more than this fails.
  double max_open = 1e-3;
  Baumgarte baumgarte{10.0, 10.0};
};

/// "projection", "baumgarte", "none".
std::string_view name_of(StabilizationKind kind) noexcept;
std::span<const KindName<StabilizationKind>> stabilization_names() noexcept;
Result<StabilizationKind> find_stabilization(std::string_view name);

/// What became of the loops so far. Telemetry: it does not alter the future.
struct LoopReport {
  long long capped_steps = 0;  // steps that ended at the bound of iterations
  int iterations = 0;          // of the last step
  double error = 0.0;          // of positions after the last step
  double rate = 0.0;           // of velocities after the last step, per second
  double largest_error = 0.0;  // after any step
  double largest_rate = 0.0;
};

/// Is told when a step begins and ends to close loops. A timing monitor wants to know; core has no clock.
class ClosingWatch {
 public:
  virtual ~ClosingWatch() = default;
  virtual void closing_begins() noexcept = 0;
  virtual void closing_ends() noexcept = 0;
};

class ConstraintProjection {
 public:
  explicit ConstraintProjection(const Model& model);
  ConstraintProjection(const ConstraintProjection&) = delete;
  ConstraintProjection& operator=(const ConstraintProjection&) = delete;
  ~ConstraintProjection();

  /// nullptr: nobody watches.
  void set_watch(ClosingWatch* watch) noexcept { watch_ = watch; }

  /// From now on each projection keeps where it began, for an account of its work.
  void keep_unprojected() noexcept { keeps_unprojected_ = true; }
  const VectorX& unprojected_q() const noexcept { return unprojected_q_; }
  const VectorX& unprojected_v() const noexcept { return unprojected_v_; }

  Stabilization& settings() noexcept { return settings_; }
  const Stabilization& settings() const noexcept { return settings_; }
  const LoopReport& report() const noexcept { return report_; }

  /// Before the evaluations of a step: what they add to the constraints.
  void prepare(Workspace& ws) const noexcept;

  /// After the first evaluation of a step from speeds v: kUnresolved if what the speeds alone ask of the accelerations
  /// turns the motion within less than the step. Where a step begins so near to a singular position nothing that its
  /// stages find has to do with the motion. No allocation.
  StepStatus look_ahead(const Model& model, const double* v, double dt_s, Dynamics& dynamics,
                        const Workspace& ws) noexcept;

  /// Closes the loops of a state on trial, with the basis that its evaluations froze: what is closed here is still
  /// open, where rank cannot be decided. kClosureCapped if the bound of iterations was reached, kLoopsOpen if that left
  /// them too far open to go on, kUnresolved if the speeds that the loops allow there have nothing to do with those
  /// that the step led to. Bounded, no allocation.
  StepStatus project(const Model& model, double time_s, Dynamics& dynamics, VectorX& q, VectorX& v,
                     Workspace& ws) noexcept;

 private:
  bool close_positions(const Model& model, double time_s, Dynamics& dynamics, VectorX& q, const VectorX& v,
                       Workspace& ws) noexcept;
  void polish_positions(const Model& model, double time_s, Dynamics& dynamics, VectorX& q, Workspace& ws) noexcept;
  bool close_velocities(const Model& model, double time_s, Dynamics& dynamics, const VectorX& q, VectorX& v,
                        Workspace& ws) noexcept;

  Stabilization settings_;
  LoopReport report_;
  ClosingWatch* watch_ = nullptr;
  ConstraintTarget motion_;
  VectorX step_;
  std::unique_ptr<LoopSpeeds> speeds_;
  VectorX open_v_;
  bool near_singular_ = false;
  bool keeps_unprojected_ = false;
  VectorX unprojected_q_, unprojected_v_;
};

}  // namespace kinloop
