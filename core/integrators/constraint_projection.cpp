// Newton's method with the formulation's last factors, computed again only where it does not converge with them.
#include "core/integrators/constraint_projection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/name_table.hpp"
#include "core/integrators/loop_speeds.hpp"
#include "core/kinematics/configuration.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {
namespace {

/// An iteration that leaves more than this of an error needs fresh factors.
constexpr double kSlow = 0.1;

/// Errors of the loops. All that only accelerations need stays as the last evaluation left it: most steps close with
/// its factors.
void find_errors(const Model& model, const VectorX& q, double time_s, Workspace& ws) noexcept {
  update_positions(model, q.data(), ws);
  update_loop_constraint_errors(model, q.data(), time_s, ws);
}

/// Errors of their velocities, at the positions of the last errors.
void find_rates(const Model& model, const VectorX& v, Workspace& ws) noexcept {
  update_velocities(model, v.data(), ws);
  update_loop_constraint_rates(model, v.data(), ws);
}

/// New factors, at the positions of the last evaluation.
bool factorize(const Model& model, double time_s, const VectorX& q, const VectorX& v, Dynamics& dynamics,
               Workspace& ws) noexcept {
  update_kinematics(model, q.data(), v.data(), time_s, ws);
  return dynamics.refactorize(model, ws) == StepStatus::kOk;
}

/// Whether a step may end next to a singular position: there what the tolerance leaves behind is divided by a small
/// number, and factors from the start of the step are no guide.
bool is_near_singular(const Dynamics& dynamics) noexcept {
  constexpr double kNear = 0.05;
  return dynamics.report().quality < kNear;
}

class Watched {
 public:
  explicit Watched(ClosingWatch* watch) noexcept : watch_(watch) {
    if (watch_ != nullptr) watch_->closing_begins();
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() {
    if (watch_ != nullptr) watch_->closing_ends();
  }

 private:
  ClosingWatch* watch_;
};

constexpr NameTable kNames("stabilization", std::array{KindName{StabilizationKind::kProjection, "projection"},
                                                       KindName{StabilizationKind::kBaumgarte, "baumgarte"},
                                                       KindName{StabilizationKind::kNone, "none"}});

}  // namespace

std::string_view name_of(StabilizationKind kind) noexcept { return kNames.name_of(kind); }
std::span<const KindName<StabilizationKind>> stabilization_names() noexcept { return kNames.entries(); }
Result<StabilizationKind> find_stabilization(std::string_view name) { return kNames.find(name); }

ConstraintProjection::ConstraintProjection(const Model& model)
    : motion_(model),
      step_(VectorX::Zero(model.nv())),
      speeds_(std::make_unique<LoopSpeeds>(model)),
      open_v_(VectorX::Zero(model.nv())),
      unprojected_q_(VectorX::Zero(model.nq())),
      unprojected_v_(VectorX::Zero(model.nv())) {}

ConstraintProjection::~ConstraintProjection() = default;

void ConstraintProjection::prepare(Workspace& ws) const noexcept {
  ws.baumgarte = settings_.kind == StabilizationKind::kBaumgarte ? settings_.baumgarte : Baumgarte{};
}

bool ConstraintProjection::close_positions(const Model& model, double time_s, Dynamics& dynamics, VectorX& q,
                                           const VectorX& v, Workspace& ws) noexcept {
  // A crank that has turned ten thousand times stands where a number has no finer steps than this.
  const double rounding = 4.0 * std::numeric_limits<double>::epsilon() * q.lpNorm<Eigen::Infinity>();
  const double tolerance = std::max(settings_.tolerance, rounding);
  dynamics.solve_dependents(q);
  double before = 0.0;
  bool has_new_factors = false;
  for (int i = 0;; ++i) {
    find_errors(model, q, time_s, ws);
    report_.error = closure_error(ws);
    if (report_.error <= tolerance) {
      const bool polish = near_singular_ && (has_new_factors || factorize(model, time_s, q, v, dynamics, ws));
      if (polish) polish_positions(model, time_s, dynamics, q, ws);
      return true;
    }
    if (i == settings_.max_iterations || !std::isfinite(report_.error)) return false;
    if (i > 0 && report_.error > kSlow * before) {
      if (!factorize(model, time_s, q, v, dynamics, ws)) return false;
      has_new_factors = true;
    }
    before = report_.error;
    position_correction(model, ws, motion_);
    dynamics.project(motion_, step_);
    advance_configuration(model, q.data(), step_.data(), q.data());
    ++report_.iterations;
  }
}

/// Down to rounding, with factors made since the step began. Near a singular position the distance to the branch is the
/// error divided by a small number, and so what the tolerance leaves behind would grow there; and again in the
/// accelerations.
void ConstraintProjection::polish_positions(const Model& model, double time_s, Dynamics& dynamics, VectorX& q,
                                            Workspace& ws) noexcept {
  position_correction(model, ws, motion_);
  dynamics.project(motion_, step_);
  advance_configuration(model, q.data(), step_.data(), q.data());
  find_errors(model, q, time_s, ws);
  report_.error = closure_error(ws);
}

bool ConstraintProjection::close_velocities(const Model& model, double time_s, Dynamics& dynamics, const VectorX& q,
                                            VectorX& v, Workspace& ws) noexcept {
  const double tolerance = settings_.tolerance * (1.0 + v.lpNorm<Eigen::Infinity>());
  double before = 0.0;
  for (int i = 0;; ++i) {
    find_rates(model, v, ws);
    report_.rate = closure_rate(ws);
    if (report_.rate <= tolerance) {
      if (!near_singular_) return true;
      velocity_correction(model, ws, motion_);
      dynamics.project(motion_, step_);
      v += step_;
      return true;
    }
    if (i == settings_.max_iterations || !std::isfinite(report_.rate)) return false;
    if (i > 0 && report_.rate > kSlow * before && !factorize(model, time_s, q, v, dynamics, ws)) return false;
    before = report_.rate;
    velocity_correction(model, ws, motion_);
    dynamics.project(motion_, step_);
    v += step_;
    ++report_.iterations;
  }
}

StepStatus ConstraintProjection::look_ahead(const Model& model, const double* v, double dt_s, Dynamics& dynamics,
                                            const Workspace& ws) noexcept {
  if (!model.has_loops() || settings_.kind != StabilizationKind::kProjection) return StepStatus::kOk;
  if (!speeds_->may_turn(ws, v, ws.vdot, dt_s)) return StepStatus::kOk;
  // Forces may do so from rest: only the part that follows from the speeds counts.
  required_acceleration(ws, motion_);
  dynamics.project(motion_, step_);
  return speeds_->would_turn(model, ws, v, step_, dt_s) ? StepStatus::kUnresolved : StepStatus::kOk;
}

StepStatus ConstraintProjection::project(const Model& model, double time_s, Dynamics& dynamics, VectorX& q, VectorX& v,
                                         Workspace& ws) noexcept {
  const Watched watched(watch_);
  report_.iterations = 0;
  if (keeps_unprojected_) {
    unprojected_q_ = q;
    unprojected_v_ = v;
  }
  bool closed = true;
  if (settings_.kind == StabilizationKind::kProjection) {
    near_singular_ = is_near_singular(dynamics);
    closed = close_positions(model, time_s, dynamics, q, v, ws);
    open_v_ = v;
    closed = close_velocities(model, time_s, dynamics, q, v, ws) && closed;
    if (speeds_->have_jumped(model, ws, open_v_, v)) return StepStatus::kUnresolved;
  } else {
    find_errors(model, q, time_s, ws);
    find_rates(model, v, ws);
    report_.error = closure_error(ws);
    report_.rate = closure_rate(ws);
  }
  if (!std::isfinite(report_.error) || !std::isfinite(report_.rate)) return StepStatus::kDiverged;
  if (report_.error > settings_.max_open) return StepStatus::kLoopsOpen;
  report_.largest_error = std::max(report_.largest_error, report_.error);
  report_.largest_rate = std::max(report_.largest_rate, report_.rate);
  if (closed) return StepStatus::kOk;
  ++report_.capped_steps;
  return StepStatus::kClosureCapped;
}

}  // namespace kinloop
