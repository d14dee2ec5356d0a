// Owns MechanismGraph: links and the joints between them as a foreign file states them, before a tree is chosen.
#pragma once

#include <string>
#include <vector>

#include "core/model/model_spec.hpp"
#include "services/base/source_position.hpp"

namespace kinloop {

struct GraphLink {
  BodySpec body;
  Pose X_WL;                          // where the link is when all joints are at zero
  SourcePosition mass_position = {};  // where the file states its mass and inertia
};

/// What a link named kGround is called that is not the ground.
inline constexpr const char* kLinkNamedGround = "ground_link";

/// Joints name links or kGround at either end; any of them may close a loop.
struct MechanismGraph {
  std::string name;
  std::string root;  // where its group of links is attached if it is not connected to the ground; may be empty
  Vector3 gravity = Vector3(0.0, 0.0, -9.81);
  std::vector<GraphLink> links;
  std::vector<JointSpec> joints;
  std::vector<JointSpec> closings;  // that close loops whatever the tree; without coordinates
  std::vector<CouplingSpec> couplings;
};

}  // namespace kinloop
