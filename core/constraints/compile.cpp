// Builds the model, then moves it to find its generic rank.
#include "core/constraints/compile.hpp"

#include "core/constraints/generic_rank.hpp"

namespace kinloop {

Result<Model, CompileErrors> compile(const ModelSpec& spec) {
  Result<Model, CompileErrors> model = build_model(spec);
  if (model) model->generic_rank_ = find_generic_rank(*model);
  return model;
}

}  // namespace kinloop
