// Owns the checks of a ModelSpec that look at names alone: given, unique, and naming what exists.
#pragma once

#include <vector>

#include "core/base/result.hpp"
#include "core/model/model_spec.hpp"

namespace kinloop {

/// Bodies, joints and references that have no name, and a model without bodies.
void check_given(const ModelSpec& spec, std::vector<Error>& errors);

/// Names that stand twice, and references to what does not exist or to oneself. An empty name is one that is not known:
/// nothing is said of it, nor of references that may have meant it.
void check_names(const ModelSpec& spec, std::vector<Error>& errors);

}  // namespace kinloop
