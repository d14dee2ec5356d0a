// Owns the checks of the numbers of a ModelSpec: masses, frames, joints, springs one by one.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/model/model_spec.hpp"

namespace kinloop {

/// What can be said of each entry on its own; paths start with the entry, "bodies[2]".
void check_entries(const ModelSpec& spec, std::vector<Error>& errors, std::vector<Error>& warnings);

/// Couplings join single coordinates. Needs names that check_given() and check_names() have nothing against.
void check_couplings(const ModelSpec& spec, std::vector<Error>& errors);

/// Winches have a single coordinate. Needs the same.
void check_winches(const ModelSpec& spec, std::vector<Error>& errors);

/// The pose with its rotation brought back to an orthonormal matrix by the last bits that a text file loses.
Pose orthonormalized(const Pose& pose);

}  // namespace kinloop
