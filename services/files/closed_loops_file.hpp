// Owns the reading of a file of closed loops: what a URDF, which is a tree, leaves out.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.hpp"
#include "services/import/closed_loops.hpp"

namespace kinloop {

/// YAML in the form of Gepetto's collection of parallel robots:
///
///   closed_loop: [[tip_a, tip_b], [foot_a, foot_b]]   # frames that coincide
///   type: [6d, 3d]                                    # in all, or in their origins; 6d where it is left out
///   joint_name: [ankle]                               # joints that are not what the URDF says
///   joint_type: [SPHERICAL]                           # or FIXED, or UJOINT_XY by two of its axes (CARDAN)
///
/// Names of links and joints are looked up by add_closed_loops().
Result<ClosedLoops, std::vector<Error>> read_closed_loops(const std::filesystem::path& path);

}  // namespace kinloop
