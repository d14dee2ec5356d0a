// Owns ClosedLoops: the loops of a mechanism whose own file can only hold a tree.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/model/model_spec.hpp"
#include "services/base/source_position.hpp"
#include "services/import/mechanism_graph.hpp"

namespace kinloop {

/// Two frames that are to coincide: in all, or in their origins alone. A frame is that of a link, or that of the link
/// behind a joint.
struct ClosedLoop {
  std::string frame_a, frame_b;
  JointType type = JointType::kFixed;  // or kSpherical
  SourcePosition position;
};

/// A joint that is of another type than the file of the tree can say.
struct RetypedJoint {
  std::string joint;
  JointType type = JointType::kSpherical;
  Matrix3 axes = Matrix3::Identity();  // the joint's own axes in the frame of the link behind it
  SourcePosition position;
};

struct ClosedLoops {
  std::string file_name;
  std::vector<ClosedLoop> loops;
  std::vector<RetypedJoint> joints;
  std::vector<Error> warnings;  // of their file
};

/// Adds them to the graph. Errors name their places in the file of the loops.
std::vector<Error> add_closed_loops(const ClosedLoops& stated, MechanismGraph& graph);

}  // namespace kinloop
