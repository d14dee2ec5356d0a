// Owns the answer to which bodies force elements look at and push.
#pragma once

#include <vector>

#include "core/model/model.hpp"

namespace kinloop {

/// The bodies that elements look at and push, in rising order, the ground too where one does; none where forces act
/// along joints alone. It allocates.
std::vector<int> loaded_bodies(const Model& model);

}  // namespace kinloop
