// Implements the common part of all importers.
#include "services/import/assemble.hpp"

#include <set>
#include <utility>
#include <vector>

#include "services/import/lock_inert.hpp"
#include "services/import/merge_fixed.hpp"

namespace kinloop {
namespace {

/// The root and all links that fixed joints hold to it.
std::set<std::string> rigid_group(const MechanismGraph& graph) {
  std::set<std::string> group{graph.root};
  bool grows = true;
  while (grows) {
    grows = false;
    for (const JointSpec& joint : graph.joints) {
      if (joint.type != JointType::kFixed) continue;
      if (group.contains(joint.predecessor)) grows |= group.insert(joint.successor).second;
      if (group.contains(joint.successor)) grows |= group.insert(joint.predecessor).second;
    }
  }
  return group;
}

}  // namespace

BaseChoice choose_base(const MechanismGraph& graph) {
  const std::set<std::string> group = rigid_group(graph);
  double mass = 0.0;
  for (const GraphLink& link : graph.links) {
    if (group.contains(link.body.name)) mass += link.body.mass;
  }
  int moving = 0;
  for (const JointSpec& joint : graph.joints) {
    const bool leaves = group.contains(joint.predecessor) != group.contains(joint.successor);
    if (leaves && joint.type != JointType::kFixed) ++moving;
  }
  if (mass == 0.0) return {RootJoint::kFixed, "taken as fixed to the ground, since it has no mass"};
  if (moving == 1) return {RootJoint::kFixed, "taken as fixed to the ground, since one moving joint leaves it"};
  return {RootJoint::kFree,
          "taken as floating, since " + (moving == 0 ? "no" : std::to_string(moving)) + " moving joints leave it"};
}

ImportResult assemble(const MechanismGraph& graph, RootJoint root_joint, FixedJoints fixed_joints) {
  ImportResult spanned = span(graph, root_joint);
  if (!spanned) return spanned;
  std::vector<Error> locked = lock_inert_joints(spanned->spec);
  spanned->warnings.insert(spanned->warnings.end(), locked.begin(), locked.end());
  if (fixed_joints == FixedJoints::kKeep) return spanned;

  ImportResult merged = merge_fixed_joints(spanned->spec);
  if (!merged) return merged;
  merged->warnings.insert(merged->warnings.begin(), spanned->warnings.begin(), spanned->warnings.end());
  return merged;
}

}  // namespace kinloop
