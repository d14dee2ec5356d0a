// Turns a MechanismGraph into an ImportedModel, the same for every format.
#pragma once

#include <string>

#include "services/import/imported_model.hpp"
#include "services/import/mechanism_graph.hpp"
#include "services/import/spanning_tree.hpp"

namespace kinloop {

struct BaseChoice {
  RootJoint joint = RootJoint::kFree;
  std::string reason;
};

/// Guesses how a mechanism that is not attached to the ground stands, where its format has no word on it (URDF). Seen
/// is the rigid group of graph.root (that link and all that fixed joints hold to it):
///   - it has no mass: fixed, there is nothing that could float;
///   - one moving joint leaves it: fixed, as the foot of an arm, a pendulum or a cart on rails;
///   - otherwise: floating, as the trunk of a walking, wheeled or flying machine.
BaseChoice choose_base(const MechanismGraph& graph);

/// Chooses the tree, merges what is fixed, mends impossible masses, locks what moves no mass. Errors and warnings name
/// links and joints, masses with their place in the file.
ImportResult assemble(const MechanismGraph& graph, RootJoint root_joint, const ImportOptions& options,
                      const std::string& file_name);

}  // namespace kinloop
