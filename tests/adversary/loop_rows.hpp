// Owns the constraints of loops and couplings at a state: J vdot = gamma, in rows without units.
#pragma once

#include "tests/adversary/tree_motion.hpp"

namespace kinloop::adversary {

struct LoopRows {
  MatrixXR J;      // one row per blocked direction and coupling, one column per speed
  MatrixXR bound;  // how large an entry could be with these arms: noise is small against it, not against the entry
  VectorXR gamma;
  VectorXR error;  // of positions: rad, distances in lengths of the loop
  VectorXR rate;   // of velocities
};

LoopRows loop_rows(const ModelSpec& spec, const Topology& topology, const TreeMotion& motion, const VectorXR& q,
                   const VectorXR& v);

}  // namespace kinloop::adversary
