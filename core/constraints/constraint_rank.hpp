// Owns the rank of the constraints at a state, and so the mobility of a mechanism. For analysis: it allocates.
#pragma once

#include <vector>

#include "core/constraints/constraints.hpp"
#include "core/constraints/rank_tolerance.hpp"

namespace kinloop {

enum class RankOf {
  kAllSpeeds,   // driven joints count as movable
  kFreeSpeeds,  // driven joints are held
};

struct ConstraintRank {
  int rank = 0;
  double smallest_kept = 0.0;  // shares that stand out of the other rows: a wide gap means a certain rank
  double largest_dropped = 0.0;
  std::vector<int> redundant;  // rows that follow from the others, in order
};

/// Pivoted QR of the scaled rows. Needs update_loop_constraints() of the state.
ConstraintRank constraint_rank(const Model& model, const Workspace& ws, RankOf speeds);

/// Of all loop joints, then of all couplings.
std::vector<std::string> loop_constraint_names(const Model& model);

/// What a row blocks, for people: "loop j7: rotation about x", axes being those of the joint's frame A.
std::string constraint_name(const Model& model, int row);

}  // namespace kinloop
