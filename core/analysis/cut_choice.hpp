// Owns the choice of cuts: at which joint each loop is best opened, by the projective criterion of paper 001,
// section 3.
//
// A cut decides which coordinates there are. The quality of a set of cuts is that of the best independent coordinates
// among those it leaves, the product of their cosines squared (docs/theory/constraints.md §6): near 1 where the loops
// hardly hinder the coordinates that move the mechanism, 0 where the tree has a motion that moves no inertia, as beside
// a body without mass. For start-up: it allocates.
#pragma once

#include <vector>

#include "core/kinematics/workspace.hpp"

namespace kinloop {

/// A joint of the tree by the body it leads to, or a loop joint by its index; the other is -1.
struct CutJoint {
  int joint = -1, loop = -1;
  bool operator==(const CutJoint&) const = default;
};

struct CutChoice {
  double given = 0.0;          // quality of the model's own cuts
  double chosen = 0.0;         // of those below: the model's own where no others are clearly better
  std::vector<CutJoint> cuts;  // one for each loop joint of the model
};

/// Mechanisms with more speeds than this are not looked at.
inline constexpr int kMaxSpeedsForCuts = 60;

/// Joints that carry forces, rotors, couplings, winches or motions stay in the tree, joints that cannot be turned
/// around are not, and no fixed joint is cut. Cuts without a choice (kMaxSpeedsForCuts, a closed mechanism with a
/// motion that moves no inertia) are the model's own, with quality 0. Needs update_kinematics() and
/// update_loop_constraints() at a closed position.
CutChoice choose_cuts(const Model& model, const Workspace& ws);

}  // namespace kinloop
