// Owns compile(): from the description of a mechanism to the Model that everything else reads.
#pragma once

#include "core/model/model.hpp"

namespace kinloop {

/// build_model(), end stops without a stiffness given one, and the rank that the constraints have at nearly all closed
/// positions.
Result<Model, CompileErrors> compile(const ModelSpec& spec);

}  // namespace kinloop
