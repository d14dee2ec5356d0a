// Decides what lanes can treat. The widths are instantiated here and nowhere else.
#include "core/batch/batch.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/batch/lane_step.hpp"
#include "core/dynamics/formulations.hpp"

namespace kinloop {
namespace {

template <int W>
std::unique_ptr<Batch> made_of_width(const Model& model, const batch::LanePlan& plan, batch::LoopPlan loops) {
  return std::make_unique<batch::LaneStep<W>>(model, plan, std::move(loops));
}

/// Formulations whose answers are those of the lanes: solutions of the same equations, unique, without a choice of
/// coordinates that the projection keeps to.
bool is_equivalent(std::string_view dynamics, const Model& model) {
  if (!model.has_loops()) return dynamics == formulations::kRfda.name;
  return dynamics == formulations::kRcr.name || dynamics == formulations::kSemiRecursive1.name ||
         dynamics == formulations::kSemiRecursive2.name;
}

}  // namespace

Result<std::unique_ptr<Batch>> make_batch(const Model& model, const BatchSettings& settings) {
  const std::string_view dynamics = settings.dynamics == "auto" ? choose_dynamics(model).name : settings.dynamics;
  if (!is_equivalent(dynamics, model)) {
    return Error{"dynamics", std::string(dynamics) + " has no lanes; rfda has, with loops rcr and semi_recursive"};
  }
  batch::LanePlan plan{{}, settings.dt_s, settings.loops};
  if (settings.integrator == "rk4") {
    plan.stages = kClassicalStages;
  } else if (settings.integrator == "heun") {
    plan.stages = kHeunStages;
  } else if (settings.integrator != "semi_implicit_euler") {
    return Error{"integrator", std::string(settings.integrator) + " has no lanes: semi_implicit_euler, heun, rk4 have"};
  }
  if (model.has_loops() && settings.loops.kind != StabilizationKind::kProjection) {
    return Error{"stabilization", std::string(name_of(settings.loops.kind)) + " has no lanes: projection has"};
  }
  Result<batch::LoopPlan> loops = batch::LoopPlan::make(model);
  if (!loops) return loops.error();
  switch (settings.width == 0 ? batch::kNativeWidth : settings.width) {
    case 2:
      return made_of_width<2>(model, plan, std::move(loops).value());
    case 4:
      return made_of_width<4>(model, plan, std::move(loops).value());
    case 8:
      return made_of_width<8>(model, plan, std::move(loops).value());
    default:
      return Error{"width", std::to_string(settings.width) + " states at once: 2, 4 or 8"};
  }
}

}  // namespace kinloop
