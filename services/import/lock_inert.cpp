// Implements the locking: one pass from the leaves to the ground.
#include "services/import/lock_inert.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "services/import/joint_pose.hpp"

namespace kinloop {
namespace {

/// Bodies that have mass, or that something besides their inboard joint holds or drives.
std::set<std::string> engaged_bodies(const ModelSpec& spec) {
  std::set<std::string> engaged;
  for (const BodySpec& body : spec.bodies) {
    if (body.mass > 0.0) engaged.insert(body.name);
  }
  for (const JointSpec& loop : spec.loops) engaged.insert({loop.predecessor, loop.successor});
  for (const SpringSpec& spring : spec.springs) engaged.insert({spring.body_a, spring.body_b});
  for (const BushingSpec& bushing : spec.bushings) engaged.insert({bushing.body_a, bushing.body_b});
  return engaged;
}

bool has_own_inertia(const JointSpec& joint) {
  return std::any_of(joint.coordinates.begin(), joint.coordinates.end(),
                     [](const CoordinateSpec& c) { return c.rotor_inertia > 0.0 || c.motion; });
}

void lock(JointSpec& joint) {
  joint.frame_pred = joint.frame_pred * joint_pose(joint.type, joint.pitch, joint.initial_q);
  joint.type = JointType::kFixed;
  joint.coordinates.clear();
  joint.initial_q.clear();
  joint.initial_u.clear();
}

}  // namespace

std::vector<Error> lock_inert_joints(ModelSpec& spec) {
  std::vector<Error> warnings;
  std::set<std::string> engaged = engaged_bodies(spec);
  std::set<std::string> locked;
  for (auto joint = spec.joints.rbegin(); joint != spec.joints.rend(); ++joint) {
    if (engaged.contains(joint->successor) || has_own_inertia(*joint)) {
      engaged.insert(joint->predecessor);
      continue;
    }
    if (joint->type == JointType::kFixed || joint->type == JointType::kCam) continue;
    lock(*joint);
    locked.insert(joint->name);
    warnings.push_back({"joint '" + joint->name + "'",
                        "moves no mass, since link '" + joint->successor + "' and all beyond it are massless: locked"});
  }
  std::reverse(warnings.begin(), warnings.end());
  std::erase_if(spec.couplings, [&](const CouplingSpec& coupling) {
    if (!locked.contains(coupling.joint) && !locked.contains(coupling.of)) return false;
    warnings.push_back({"coupling '" + coupling.name + "'", "ignored, since one of its joints is locked"});
    return true;
  });
  return warnings;
}

}  // namespace kinloop
