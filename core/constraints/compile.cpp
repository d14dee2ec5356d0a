// Builds the model, measures its loops, gives bare end stops a stiffness, then moves it to find its generic rank.
#include "core/constraints/compile.hpp"

#include <cmath>
#include <numbers>

#include "core/base/at.hpp"
#include "core/base/short_number.hpp"
#include "core/constraints/end_stops.hpp"
#include "core/constraints/generic_rank.hpp"
#include "core/constraints/row_measure.hpp"

namespace kinloop {
namespace {

/// As if the inertia behind the stop hung on it at 20 Hz, half damped.
constexpr double kStop_rad_s = 2.0 * 20.0 * std::numbers::pi;
constexpr double kDampingRatio = 0.5;

}  // namespace

Result<Model, CompileErrors> compile(const ModelSpec& spec) {
  Result<Model, CompileErrors> model = build_model(spec);
  if (!model) return model;
  model->loop_lengths_m_ = find_loop_lengths_m(*model);
  CompileErrors errors;
  int not_found = 0;
  BareStop first_not_found;
  for (const BareStop& stop : bare_stops(*model)) {
    CoordinateConstants& c = model->coordinates_[at(stop.speed)];
    c.limit_stiffness = stop.inertia * kStop_rad_s * kStop_rad_s;
    if (!stop.has_damping) c.limit_damping = 2.0 * kDampingRatio * stop.inertia * kStop_rad_s;
    if (!std::isfinite(c.limit_stiffness)) {
      errors.push_back({stop.where, "needs a stiffness: the inertia it stops is not finite"});
    }
    if (c.limit_stiffness == 0.0) {
      model->warnings_.push_back(
          {stop.where, "does nothing: it has no stiffness, and its joint alone moves no inertia"});
    }
    if (stop.not_found.empty()) continue;
    if (not_found++ == 0) first_not_found = stop;
  }
  if (not_found > 0) {
    const BareStop::Unreached& end = first_not_found.not_found.front();
    model->warnings_.push_back(
        {first_not_found.where,
         "at " + with_four_digits(end.limit) + ": the loops could not be followed there from the start, only to " +
             with_four_digits(end.nearest) +
             (not_found > 1 ? ", nor to the limits of " + std::to_string(not_found - 1) + " more joints" : "") +
             "; stops there are sized by the rest of the way: name a stiffness"});
  }
  if (!errors.empty()) return errors;
  model->generic_rank_ = find_generic_rank(*model);
  return model;
}

}  // namespace kinloop
