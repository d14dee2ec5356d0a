// Builds the model, measures its loops, then moves it to find its generic rank.
#include "core/constraints/compile.hpp"

#include "core/constraints/generic_rank.hpp"
#include "core/constraints/row_measure.hpp"

namespace kinloop {

Result<Model, CompileErrors> compile(const ModelSpec& spec) {
  Result<Model, CompileErrors> model = build_model(spec);
  if (!model) return model;
  model->loop_lengths_m_ = find_loop_lengths_m(*model);
  model->generic_rank_ = find_generic_rank(*model);
  return model;
}

}  // namespace kinloop
