// Steps a copy of the state, so that code and data are in the caches and pages are mapped.
#include "rt/loop/warm_up.hpp"

#include <vector>

#include "core/base/stepping_mode.hpp"
#include "rt/messages/state_hash.hpp"

namespace kinloop::rt {

void warm_up(Plant& plant, const State& state) {
  constexpr int kSteps = 100;
  const SteppingMode floating_point;
  std::vector<Reading> readings(plant.sensor_count());
  StepInput input;
  input.count = static_cast<std::uint32_t>(plant.actuator_count());
  for (std::size_t i = 0; i < input.count; ++i) input.command[i] = plant.spec().actuators[i].initial;
  State copy = state;
  for (std::size_t level = 0; level < plant.spec().levels.size(); ++level) {
    input.level = static_cast<std::int32_t>(level);
    copy.block() = state.block();
    for (int i = 0; i < kSteps && is_done(plant.step(input, copy)); ++i) plant.sense(copy, readings);
  }
  volatile std::uint64_t hash = state_hash(copy);  // its code too
  static_cast<void>(hash);
}

}  // namespace kinloop::rt
