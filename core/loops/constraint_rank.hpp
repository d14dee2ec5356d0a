// Owns the rank of the constraints at a state, and so the mobility of a mechanism. For analysis: it allocates.
#pragma once

#include "core/loops/constraints.hpp"

namespace kinloop {

/// A pivot below this share of the largest one counts as zero. Rows and columns are brought to size 1 first, so the
/// number means the same for a watch and for a crane. It stands well above rounding (1e-15) and above what positions
/// closed to a dozen digits leave behind, and well below the pivots of a mechanism that is merely near a singularity.
inline constexpr double kRankTolerance = 1e-9;

enum class RankOf {
  kAllSpeeds,   // driven joints count as movable
  kFreeSpeeds,  // driven joints are held
};

struct ConstraintRank {
  int rank = 0;
  double smallest_kept = 0.0;  // pivots relative to the largest: a wide gap means a certain rank
  double largest_dropped = 0.0;
};

/// Column-pivoted QR of the scaled C. Needs update_kinematics() and evaluate_constraints() of the same state.
ConstraintRank constraint_rank(const Model& model, const Workspace& ws, const Constraints& constraints, RankOf speeds);

}  // namespace kinloop
