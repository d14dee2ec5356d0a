// Steps a plant through sequences of commands.
#include "core/analysis/rollout.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/at.hpp"
#include "core/base/field_path.hpp"
#include "core/base/stepping_mode.hpp"

namespace kinloop {
namespace {

constexpr long long kStepsBetweenLooks = 16;

Result<bool> check_plan(const Plant& plant, const RolloutPlan& plan) {
  if (plan.steps_per_command < 1) return Error{"steps_per_command", "must be 1 or more"};
  if (plan.input.level < 0 || at(plan.input.level) >= plant.spec().levels.size()) {
    return Error{"level", "the plant has no solver level " + std::to_string(plan.input.level)};
  }
  const std::size_t actuators = plant.actuator_count();
  for (std::size_t i = 0; i < plan.sequences.size(); ++i) {
    const std::vector<double>& commands = plan.sequences[i];
    const std::string path = item_path("sequences", i) + ".commands";
    const bool is_whole = actuators == 0 ? commands.empty() : commands.size() % actuators == 0;
    if (!is_whole) {
      return Error{path, std::to_string(commands.size()) + " numbers are no whole rows of " +
                             std::to_string(actuators) + ", one for each actuator"};
    }
    if (!std::all_of(commands.begin(), commands.end(), [](double c) { return std::isfinite(c); })) {
      return Error{path, "must be finite"};
    }
  }
  return true;
}

/// One sequence after the other; keeps count of the steps of all.
class Roller {
 public:
  Roller(Plant& plant, const RolloutPlan& plan) : plant_(plant), plan_(plan), input_(plan.input) {
    input_.count = static_cast<std::uint32_t>(plant.actuator_count());
  }

  bool is_cancelled() const { return is_cancelled_; }

  RolloutResult run(const State& start, const std::vector<double>& commands) {
    RolloutResult result{{}, start, false, StepStatus::kOk};
    const std::size_t width = plant_.actuator_count();
    const std::size_t rows = width == 0 ? 0 : commands.size() / width;
    result.outputs.reserve(rows * plant_.sensor_count());
    for (std::size_t row = 0; row < rows; ++row) {
      std::copy_n(commands.begin() + static_cast<std::ptrdiff_t>(row * width), width, input_.command.begin());
      if (!hold(result)) return result;
      result.outputs.resize((row + 1) * plant_.sensor_count());
      plant_.true_signals(result.end, {result.outputs.data() + row * plant_.sensor_count(), plant_.sensor_count()});
    }
    result.complete = true;
    return result;
  }

 private:
  /// The steps of one command; false where they end early.
  bool hold(RolloutResult& result) {
    for (int i = 0; i < plan_.steps_per_command; ++i) {
      // Only the flag itself is read: nothing else is made visible by it.
      const bool looks = steps_++ % kStepsBetweenLooks == 0;
      if (looks && plan_.pulse != nullptr) plan_.pulse->fetch_add(1, std::memory_order_relaxed);
      if (looks && plan_.cancelled != nullptr && plan_.cancelled->load(std::memory_order_relaxed)) {
        is_cancelled_ = true;
        return false;
      }
      result.status = plant_.step(input_, result.end);
      if (!is_done(result.status)) return false;
    }
    return true;
  }

  Plant& plant_;
  const RolloutPlan& plan_;
  StepInput input_;
  long long steps_ = 0;
  bool is_cancelled_ = false;
};

}  // namespace

Result<std::vector<RolloutResult>> rollout(Plant& plant, const State& start, const RolloutPlan& plan) {
  if (const Result<bool> fits = check_plan(plant, plan); !fits) return fits.error();
  const SteppingMode mode;
  Roller roller(plant, plan);
  std::vector<RolloutResult> results;
  for (const std::vector<double>& commands : plan.sequences) {
    results.push_back(roller.run(start, commands));
    if (roller.is_cancelled()) break;
  }
  return results;
}

}  // namespace kinloop
