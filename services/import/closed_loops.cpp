// Looks names up among the links and joints of the graph.
#include "services/import/closed_loops.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/base/nearest_name.hpp"
#include "services/base/diagnostics.hpp"

namespace kinloop {
namespace {

std::vector<std::string_view> names_of_frames(const MechanismGraph& graph) {
  std::vector<std::string_view> names;
  for (const GraphLink& link : graph.links) names.push_back(link.body.name);
  for (const JointSpec& joint : graph.joints) names.push_back(joint.name);
  return names;
}

/// The link whose frame it is.
std::optional<std::string> link_of_frame(const MechanismGraph& graph, const std::string& frame) {
  if (graph.root == kGround && (frame == "world" || frame == kGround)) return kGround;
  const std::string link = frame == kGround ? kLinkNamedGround : frame;
  for (const GraphLink& one : graph.links) {
    if (one.body.name == link) return link;
  }
  for (const JointSpec& joint : graph.joints) {
    if (joint.name == frame) return joint.successor;
  }
  return std::nullopt;
}

bool is_coupled(const MechanismGraph& graph, const std::string& joint) {
  return std::any_of(graph.couplings.begin(), graph.couplings.end(),
                     [&](const CouplingSpec& coupling) { return coupling.joint == joint || coupling.of == joint; });
}

void retype(const RetypedJoint& stated, MechanismGraph& graph, Diagnostics& diagnostics) {
  const std::string label = "joint " + in_quotes(stated.joint);
  const auto joint = std::find_if(graph.joints.begin(), graph.joints.end(),
                                  [&](const JointSpec& one) { return one.name == stated.joint; });
  if (joint == graph.joints.end()) {
    std::vector<std::string_view> names;
    for (const JointSpec& one : graph.joints) names.push_back(one.name);
    diagnostics.add(stated.position, label, "there is no such joint" + did_you_mean(stated.joint, names));
    return;
  }
  if (is_coupled(graph, stated.joint)) {
    diagnostics.add(stated.position, label, "is coupled by a mimic, so it keeps its one coordinate");
    return;
  }
  // The frame of the link behind it, whatever axis the joint had.
  joint->frame_pred = joint->frame_pred * inverse(joint->frame_succ);
  joint->frame_succ = {};
  joint->frame_pred.R = joint->frame_pred.R * stated.axes;
  joint->frame_succ.R = stated.axes;
  joint->type = stated.type;
  joint->coordinates.clear();
  joint->initial_q.clear();
}

}  // namespace

std::vector<Error> add_closed_loops(const ClosedLoops& stated, MechanismGraph& graph) {
  Diagnostics diagnostics(stated.file_name);
  for (const RetypedJoint& joint : stated.joints) retype(joint, graph, diagnostics);
  for (const ClosedLoop& loop : stated.loops) {
    JointSpec closing;
    closing.name = loop.frame_a + "_" + loop.frame_b;
    closing.type = loop.type;
    for (const auto& [frame, link] :
         {std::pair{&loop.frame_a, &closing.predecessor}, {&loop.frame_b, &closing.successor}}) {
      const std::optional<std::string> found = link_of_frame(graph, *frame);
      if (found) {
        *link = *found;
      } else {
        diagnostics.add(loop.position, "frame " + in_quotes(*frame),
                        "there is no such link or joint" + did_you_mean(*frame, names_of_frames(graph)));
      }
    }
    graph.closings.push_back(std::move(closing));
  }
  return diagnostics.errors();
}

}  // namespace kinloop
