// Owns what counts as zero when constraints are compared: one number for all methods.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "core/math/pivoted_qr.hpp"

namespace kinloop {

/// A constraint of which less than this share stands out of the others counts as dependent on them. Rows and columns
/// are brought to size 1 first, so the number means the same for a watch and for a crane. It stands well above rounding
/// (1e-15) and above what positions closed to a dozen digits leave behind, and well below the shares of a mechanism
/// that is merely near a singularity.
inline constexpr double kRankTolerance = 1e-9;

/// The tolerance at a state whose loops are open by a little: constraints that depend on each other only where the
/// loops are closed (Bricard's) differ there by about as much as the loops are open.
inline double rank_tolerance(double closure_error) noexcept {
  constexpr double kMargin = 100.0;
  return std::max(kRankTolerance, std::min(1e-2, kMargin * closure_error));
}
inline double rank_tolerance(const Workspace& ws) noexcept { return rank_tolerance(closure_error(ws)); }

/// Between the ends of a step the number of independent constraints is held, and no pivot is dropped for being small:
/// one that keeps a weak constraint costs the error of the stage divided by it, one that drops it costs all of it. This
/// only keeps from dividing by zero.
inline constexpr double kSmallestPivotShare = 1e-13;

/// Held pivots that have shrunk to this of the smallest at the start of the step are sought afresh, as many as before.
inline constexpr double kWeakened = 0.3;

/// Loops open by more than this are open: rad, or lengths of the mechanism.
inline constexpr double kLoopsClosed = 1e-9;

/// How the rank is decided at a state.
struct RankRule {
  double tolerance = kRankTolerance;
  PivotedQr::Expected rank;
};

/// Where loops are closed the rows tell; where they are open (predicted states, drift that nobody corrects) rows that
/// depend on each other at closed positions seem independent, and the rank of nearly all closed positions is taken.
inline RankRule rank_rule(const Model& model, const Workspace& ws) noexcept {
  const int generic = model.generic_rank().all;
  const double error = closure_error(ws);
  RankRule rule{rank_tolerance(error), {}};
  if (generic < 0) return rule;
  if (error <= kLoopsClosed) {
    rule.rank.usual = generic;
  } else {
    rule = {kSmallestPivotShare, {.most = generic}};
  }
  return rule;
}

/// Whether a rank found among all rows may be that of a singular position: always, where the usual rank is not known.
inline bool is_rank_lost(const Model& model, int rank) noexcept {
  const int generic = model.generic_rank().all;
  return generic < 0 || rank < generic;
}

/// How much a unit of speed i moves: rad/s, or m/s in lengths of the mechanism. The unit of a speed (rad/s, m/s, a
/// cam's parameter per second) must not matter. 1 where a speed moves nothing.
inline double speed_size(const Workspace& ws, int i, double length_m) noexcept {
  const Vec3& Hw = ws.Hw[at(i)];
  const Vec3 Hv = (1.0 / length_m) * ws.Hv[at(i)];
  const double size = std::sqrt(dot(Hw, Hw) + dot(Hv, Hv));
  return size > 0.0 ? size : 1.0;
}

}  // namespace kinloop
