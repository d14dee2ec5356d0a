// Owns the dense mass matrix of the open tree and the forces along its speeds.
#pragma once

#include "tests/adversary/reference.hpp"

namespace kinloop::adversary {

struct TreeEquations {
  MatrixXR M;
  VectorXR h;  // M vdot = h for the open tree
};
TreeEquations tree_equations(const ModelSpec& spec, const Topology& topology, const TreeMotion& motion,
                             const Situation& at);

}  // namespace kinloop::adversary
