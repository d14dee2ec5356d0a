// Owns what must hold for any text given to the reader of model files; for the fuzzer and for the replay of its finds.
#pragma once

#include <string>

#include "core/base/require.hpp"
#include "services/files/model_file.hpp"
#include "tests/support/model_text.hpp"

namespace kinloop {

/// Reads and compiles the text; aborts where a promise is broken.
inline void check_model_text(const std::string& text) {
  const auto file = compile_model_text(text, "fuzz.yaml");
  if (!file) {
    require(!file.error().empty(), "a refusal says why");
    for (const Error& error : file.error()) {
      require(error.where.starts_with("fuzz.yaml"), "an error names the file");
      require(!error.what.empty(), "an error says what");
    }
    return;
  }
  const Model& model = file->model;
  require(model.body_count() > 1, "a model has a body");
  require(model.initial_q().allFinite() && model.initial_v().allFinite(), "the start is finite");
  for (const BodyConstants& body : model.bodies()) {
    require(body.inertia.eigen().allFinite() && body.p_PA.eigen().allFinite(), "the constants of bodies are finite");
    require(body.R_PA.eigen().allFinite() && body.first_moment.eigen().allFinite(), "frames and moments are finite");
  }
}

}  // namespace kinloop
