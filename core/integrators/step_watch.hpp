// Owns StepWatch: sees while a motion runs where its steps have become too long for it.
//
// What is fast at the start is judged before a run (step_limits.hpp). Two things become fast later: bodies that are
// spun up, whose gyroscopic terms explicit steps take wrongly, and motions whose stiffness grows with the position, a
// load or a contact. A step beyond the bound of stability throws a speed to and fro: it changes forth in one step and
// back in the next. Both are counted; nothing else depends on it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/kinematics/workspace.hpp"
#include "core/model/state.hpp"

namespace kinloop {

/// How far a body with a gyroscopic term may turn in a step, rad.
inline constexpr double kFastSpin = 0.25;
/// The same where the term is taken explicitly by a method of order 1: 5e-5 of the energy a step, 5 % a second with 1
/// ms.
inline constexpr double kCoarseSpin = 1e-2;

/// Telemetry: it does not alter the future.
struct CoarseSteps {
  long long steps = 0;
  int speed = -1;         // the last one that went to and fro
  int body = -1;          // the one that turned furthest in a step
  double turn_rad = 0.0;  // by so much
};

/// Bodies on joints that turn about any axis, or about one that another joint turns, and what hangs on them: those
/// have a gyroscopic term. Needs update_kinematics(). It allocates.
std::vector<char> gyrating_bodies(const Model& model, const Workspace& ws);

class StepWatch {
 public:
  explicit StepWatch(const Model& model);

  /// For a method that takes gyroscopic terms explicitly but for the bodies of free_rotation.hpp.
  void bound_rough_spins() noexcept;

  /// After a step that led to this state, with the workspace of its last evaluation. A second look at the same time is
  /// at the same step once more, which replaces the first. No allocation.
  void look(const State& state, const Workspace& ws, double dt_s) noexcept;

  const CoarseSteps& report() const noexcept { return report_; }

 private:
  struct Spin {
    int body = 0;
    bool is_rough = false;
    double max_rad = kFastSpin;
  };
  std::vector<Spin> spins_;
  VectorX last_v_, last_change_;
  std::vector<std::uint32_t> reversals_;  // of each speed, a bit a step
  CoarseSteps report_;
  double time_s_ = 0.0;  // of the last look
  VectorX before_v_, before_change_;
  CoarseSteps before_;
};

}  // namespace kinloop
