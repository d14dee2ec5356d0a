// Owns the open chain that benchmarks share.
#pragma once

#include <string>

#include "core/model/model_spec.hpp"

namespace kinloop {

/// n bars of 0.3 m, revolute joints with axes turning by 90 degrees from each to the next.
inline ModelSpec bench_chain(int n) {
  ModelSpec spec;
  spec.name = "chain" + std::to_string(n);
  Matrix3 quarter_turn;
  quarter_turn << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  for (int i = 0; i < n; ++i) {
    BodySpec body;
    body.name = "link" + std::to_string(i);
    body.mass = 1.0;
    body.com = Vector3(0.15, 0.01, -0.01);
    body.inertia = Vector3(0.002, 0.008, 0.008).asDiagonal();
    JointSpec joint;
    joint.name = "joint" + std::to_string(i);
    joint.type = JointType::kRevolute;
    joint.predecessor = i == 0 ? kGround : spec.bodies.back().name;
    joint.successor = body.name;
    if (i > 0) joint.frame_pred.p = Vector3(0.3, 0.0, 0.0);
    if (i % 2 == 1) joint.frame_pred.R = joint.frame_succ.R = quarter_turn;
    joint.initial_q = {0.3 + 0.01 * i};
    joint.initial_u = {0.5 - 0.01 * i};
    spec.bodies.push_back(body);
    spec.joints.push_back(joint);
  }
  return spec;
}

}  // namespace kinloop
