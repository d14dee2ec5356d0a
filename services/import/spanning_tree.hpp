// Owns the choice of a spanning tree: which joints carry coordinates and which close loops.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "services/import/imported_model.hpp"
#include "services/import/mechanism_graph.hpp"

namespace kinloop {

/// How a group of links without connection to the ground is attached to it.
enum class RootJoint { kFixed, kFree };

/// The graph as a ModelSpec. Joints enter the tree in this order, each unless its bodies are connected already:
///   1. fixed joints, so that rigid groups stay whole and can be merged;
///   2. joints with springs, dampers, friction, limits or couplings, which a loop joint could not keep;
///   3. the others;
/// within 2 and 3 those with the fewest dofs first, so that the loops are closed by the joints with the most
/// dofs (fewest coordinates, fewest constraint equations); then the order of the file. The rest become loops.
///
/// The tree is walked from the ground depth first in the order of the file; joints met from their far side are reversed
/// exactly (reverse_joint.hpp). A group that is not connected to the ground is attached by `root_joint` at
/// graph.root if that is one of its links, else at its first link.
/// Errors: unknown or repeated names, joints that cannot be reversed, coupled joints that close a loop. A warning names
/// each loop joint whose springs, dampers, friction or limits had to be dropped.
ImportResult span(const MechanismGraph& graph, RootJoint root_joint);

}  // namespace kinloop
