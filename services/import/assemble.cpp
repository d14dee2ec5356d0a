// Implements the common part of all importers.
#include "services/import/assemble.hpp"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "services/base/diagnostics.hpp"
#include "services/import/lock_inert.hpp"
#include "services/import/mend_masses.hpp"
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

/// What had to be mended, with its place in the file.
std::vector<Error> mended_masses(ModelSpec& spec, const MechanismGraph& graph, const std::string& file_name) {
  std::map<std::string, SourcePosition> positions;
  for (const GraphLink& link : graph.links) positions.emplace(link.body.name, link.mass_position);
  Diagnostics findings(file_name);
  mend_masses(spec, [&](const std::string& body, std::string what) {
    findings.add(positions[body], "link " + in_quotes(body), std::move(what));
  });
  return findings.errors();
}

/// The model without fixed joints, with the warnings of both.
ImportResult merged(ImportedModel model) {
  ImportResult out = merge_fixed_joints(model.spec);
  if (out) out->warnings.insert(out->warnings.begin(), model.warnings.begin(), model.warnings.end());
  return out;
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

ImportResult assemble(const MechanismGraph& graph, RootJoint root_joint, const ImportOptions& options,
                      const std::string& file_name) {
  const bool is_merged = options.fixed_joints == FixedJoints::kMerge;
  ImportResult model = span(graph, root_joint);
  if (model && is_merged) model = merged(std::move(model).value());
  if (!model) return model;

  std::vector<Error> mended = mended_masses(model->spec, graph, file_name);
  if (!mended.empty() && options.impossible_masses == ImpossibleMasses::kRefused) return mended;
  model->warnings.insert(model->warnings.begin(), mended.begin(), mended.end());

  std::vector<Error> locked = lock_inert_joints(model->spec);
  if (locked.empty()) return model;
  model->warnings.insert(model->warnings.end(), locked.begin(), locked.end());
  return is_merged ? merged(std::move(model).value()) : std::move(model);
}

}  // namespace kinloop
