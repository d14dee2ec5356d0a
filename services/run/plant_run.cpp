// Sets up the thread, warms up, runs the loop.
#include "services/run/plant_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "core/base/stepping_mode.hpp"
#include "rt/loop/warm_up.hpp"
#include "rt/platform/platform.hpp"
#include "services/console/exit_code.hpp"
#include "services/run/confinement.hpp"
#include "services/run/plant_builder.hpp"
#include "services/run/refusal_text.hpp"

namespace kinloop::run {
namespace {

constexpr std::size_t kStack_bytes = 512 * 1024;

int exit_code_of(rt::LoopEnd end, const rt::FaultCounters& faults) {
  switch (end) {
    case rt::LoopEnd::kOverrunLimit:
      return console::kOverrunLimit;
    case rt::LoopEnd::kFault:
      return console::kDiffers;
    case rt::LoopEnd::kSignalled:
      return console::kInternalError;
    case rt::LoopEnd::kDone:
    case rt::LoopEnd::kStopped:
      break;
  }
  return faults.failed > 0 ? console::kDiffers : console::kDone;  // frozen since
}

}  // namespace

rt::ThreadWishes wishes_of(const RigSpec& rig) {
  if (rig.mode != rt::Mode::kRealTime) return {};
  rt::ThreadWishes wishes;
  wishes.priority = rig.priority;
  wishes.promoted = true;
  wishes.core = rig.core;
  wishes.locked_memory = true;
  wishes.stack_bytes = kStack_bytes;
  wishes.awake_processors = true;
  return wishes;
}

void prepare_plant_process(const RigSpec& rig) noexcept {
  if (rig.mode == rt::Mode::kRealTime) rt::platform::prepare_process();
}

rt::LoopSettings loop_settings(const RigSpec& rig, const PlantRunOptions& options) {
  rt::LoopSettings settings;
  settings.mode = rig.mode;
  settings.period_ns = period_ns(rig);
  if (rig.duration_s > 0.0) {
    settings.max_steps = static_cast<std::uint64_t>(std::max(1LL, std::llround(rig.duration_s / rig.plant.dt_s)));
  }
  settings.overrun = rig.overrun;
  settings.fault = rig.fault;
  settings.frames = rig.frames;
  settings.journal = options.journal;
  settings.begins_paused = options.begins_paused;
  if (rig.mode == rt::Mode::kRealTime) settings.life_timeout_ns = std::llround(rig.watchdog.life_timeout_s * 1e9);
  return settings;
}

int run_plant(const LoadedRig& rig, const std::filesystem::path& rig_file, const PlantRunOptions& options,
              rt::PlantMemory& memory) {
  rt::PlantExchange exchange;
  // Before the set-up: a thread begins with the priority and the core of the one that makes it.
  const PlantBuilder builder(rig_file, wishes_of(rig.spec).core, memory, exchange);
  const rt::ThreadSetup setup(wishes_of(rig.spec));
  write_refusals(setup.refusals(), memory.refusals);
  if (!setup.refusals().empty() && options.degraded == Degraded::kRefused) return console::kRefused;

  auto plant = Plant::make(rig.model.model, rig.spec.plant);
  if (!plant) return console::kInternalError;  // the supervisor has made one already
  const SteppingMode floating_point;           // from the first state on, as in a replay
  State state = (*plant)->initial_state();
  rt::warm_up(**plant, state);
  rt::LiveInput input(rig.spec.commands, memory);
  rt::MonotonicClock clock;
  rt::Loop loop(loop_settings(rig.spec, options), **plant, state, input, clock, memory, &exchange);
  memory.heartbeat.thread.store(::gettid(), std::memory_order_relaxed);
  confine_plant_thread();
  const rt::LoopEnd end = loop.run();
  return exit_code_of(end, loop.faults());
}

}  // namespace kinloop::run
