// Owns the writing of a description as a model file (docs/model-format.md), every number with all its digits.
#pragma once

#include <string>

#include "core/model/model_spec.hpp"

namespace kinloop::adversary {

/// Of what the sweep draws: bodies, joints, loops, springs and couplings.
std::string model_text(const ModelSpec& spec);

}  // namespace kinloop::adversary
