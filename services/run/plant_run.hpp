// Owns the plant's side of a run: everything from a loaded rig to the loop, in a thread or a process of its own.
#pragma once

#include "rt/loop/loop.hpp"
#include "rt/loop/thread_setup.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::run {

/// Whether a run goes on without what the host does not permit.
enum class Degraded { kRefused, kAllowed };

struct PlantRunOptions {
  Degraded degraded = Degraded::kRefused;
  rt::Journal journal = rt::Journal::kNone;  // from the first step on
  bool begins_paused = false;
};

/// What the stepping thread asks of the host: much in real time, nothing else.
rt::ThreadWishes wishes_of(const RigSpec& rig);

/// Readies the process for that: on its main thread, before others are started.
void prepare_plant_process(const RigSpec& rig) noexcept;

rt::LoopSettings loop_settings(const RigSpec& rig, const PlantRunOptions& options);

/// Sets up the calling thread, steps until the run ends, returns the exit code. The refusals are in the memory before
/// the heartbeat starts.
/// `rig_file` is read again when parameters are changed.
int run_plant(const LoadedRig& rig, const std::filesystem::path& rig_file, const PlantRunOptions& options,
              rt::PlantMemory& memory);

}  // namespace kinloop::run
