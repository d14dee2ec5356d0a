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
    for (const double limit : stop.unreached) {
      model->warnings_.push_back({stop.where, "at " + with_four_digits(limit) +
                                                  " is not reached by the loops from the start: the stiffness of its "
                                                  "stops is sized without it; name one if it can be"});
    }
  }
  if (!errors.empty()) return errors;
  model->generic_rank_ = find_generic_rank(*model);
  return model;
}

}  // namespace kinloop
