// Owns the checks of a ModelSpec that need no tree: names, masses, frames, joints one by one.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/model/model_spec.hpp"

namespace kinloop {

void check_bodies(const ModelSpec& spec, std::vector<Error>& errors, std::vector<Error>& warnings);
void check_joints(const ModelSpec& spec, std::vector<Error>& errors);
void check_force_elements(const ModelSpec& spec, std::vector<Error>& errors);

/// The pose with its rotation brought back to an orthonormal matrix by the last bits that a text file loses.
Pose orthonormalized(const Pose& pose);

}  // namespace kinloop
