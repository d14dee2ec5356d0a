// Owns the reactions of all joints of a mechanism with closed loops, and whether they are determined at all.
//
// Redundant constraints make some reactions indeterminate: any multiple of a self-stress may be added. Such components
// are flagged; the values given for them are those of the smallest multipliers. For analysis: it allocates.
#pragma once

#include <vector>

#include "core/dynamics/reactions/reaction.hpp"
#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// The three schemes of paper 001, section 5, which agree wherever a reaction is determined.
enum class ReactionScheme {
  kInverseInertia,  // (35): f = (B M^-1 B^T)^-1 (gamma - B M^-1 h)
  kSelfChecking,    // (37): [B; D M]^T [f; s] = M vdot - h, where s must come out as zero
  kLeastSquares,    // (38): B^T f = M vdot - h
};

struct Reactions {
  std::vector<Reaction> joints;     // of joint k, 0 is unused
  std::vector<Reaction> loops;      // of every loop joint
  VectorX couplings;                // force along the dependent coordinate
  VectorX drive;                    // force along every driven speed, zero elsewhere
  std::vector<double> loop_drives;  // force of every drive of the loop joints, in their order
  double zero_block = 0.0;          // of kSelfChecking: the largest force along a free speed that s stands for
  double imbalance = 0.0;           // largest force along a free speed that no reaction explains; self-check
};

/// Needs ws.vdot and ws.A of accelerations().
Reactions find_reactions(const Model& model, const Workspace& ws,
                         ReactionScheme scheme = ReactionScheme::kLeastSquares);

}  // namespace kinloop
