// Owns the reading of the `model` of a vector file into a ModelSpec.
#pragma once

#include "core/model/model_spec.hpp"
#include "services/files/field_reader.hpp"

namespace kinloop {

/// Reads all but the initial state. Problems go to the diagnostics of the fields.
ModelSpec read_vector_model(Fields& model);

/// How many numbers q and u of a state have.
struct StateSize {
  std::size_t nq = 0;
  std::size_t nu = 0;
};
StateSize state_size(const ModelSpec& spec) noexcept;

}  // namespace kinloop
