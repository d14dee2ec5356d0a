// Owns the plain forward kinematics that the import tests compare with: homogeneous transforms along the tree of a
// spec.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/model/model_spec.hpp"

namespace kinloop {

/// Coordinates by joint name.
using Coordinates = std::map<std::string, std::vector<double>>;

/// Pose of each body and frame in the ground. Joints without an entry in q are at zero.
std::map<std::string, Pose> forward_kinematics(const ModelSpec& spec, const Coordinates& q);

/// Coordinates within one unit of zero, quaternions of length 1, for every joint of the tree.
Coordinates random_coordinates(const ModelSpec& spec, std::mt19937& random);

/// A pose anywhere.
Pose random_pose(std::mt19937& random);

/// The largest difference of an entry of R or p.
double difference(const Pose& a, const Pose& b);

/// A body with a random centre of mass and an inertia that a rigid body can have.
BodySpec random_body(const std::string& name, std::mt19937& random);

}  // namespace kinloop
