// Owns what SDF and ours share in geometry: vectors, poses and shapes.
#pragma once

#include <sdf/Link.hh>
#include <vector>

#include "core/model/model_spec.hpp"

namespace kinloop {

Vector3 to_vector(const ignition::math::Vector3d& v);
Pose to_pose(const ignition::math::Pose3d& pose);

/// The primitive shapes of a link, visual ones or else those for collision; `ignored` grows by the other visual ones.
std::vector<ShapeSpec> sdf_shapes(const sdf::Link& link, int& ignored);

}  // namespace kinloop
