// Owns the inertia behind end stops for which a file names no stiffness: what the stiffness is then chosen by.
//
// Loops carry it to the joint: a cylinder's rod may weigh 10 kg and lift 2 t, of which it feels (dz/dq)^2 * 2 t.
#pragma once

#include <string>
#include <vector>

#include "core/model/model.hpp"

namespace kinloop {

struct BareStop {
  struct Unreached {
    double limit;
    double nearest;  // on the way from the start
  };
  int speed = 0;
  bool has_damping = false;  // the file names one
  double inertia = 0.0;      // kg or kg m^2
  /// Limits behind a dead centre of the loops, where the stop never acts.
  std::vector<Unreached> beyond_reach;
  /// Limits to which no way was found, and no dead centre in front of them.
  std::vector<Unreached> not_found;
  std::string where;  // in the description: "joints[2].coordinates[0].limit"
};

/// The inertia is that of the joint with all others locked and loops open, or, where that is more, the one reflected
/// through the loops: what a force along the speed accelerates, all else free to follow, at the start or at a limit.
/// For start-up: it allocates.
std::vector<BareStop> bare_stops(const Model& model);

}  // namespace kinloop
