// A process that leaves signals from the terminal to the supervisor.
#include "services/run/plant_process.hpp"

#include <unistd.h>

#include <chrono>
#include <thread>

#include "services/console/exit_code.hpp"
#include "services/run/child_process.hpp"

namespace kinloop::run {
namespace {

std::atomic<std::uint32_t>* stop_word = nullptr;

void wish_to_stop(EndedBy /*whoever*/) {
  if (stop_word != nullptr) stop_word->store(1, std::memory_order_relaxed);
  constexpr unsigned kPatience_s = 2;
  ::alarm(kPatience_s);  // which ends a process that does not listen
}

/// Until io is up: nobody misses anything of the plant. False where the run ends before that.
bool may_begin(const rt::PlantMemory& memory) {
  constexpr std::chrono::milliseconds kBetweenLooks{1};
  while (memory.plant_may_begin.load(std::memory_order_acquire) == 0) {
    if (memory.ends.load(std::memory_order_relaxed) != 0) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return true;
}

}  // namespace

int run_plant_process(const std::filesystem::path& rig_file, const PlantRunOptions& options,
                      const console::Console& console) {
  const auto shared = inherited_memory(rt::MemoryOwner::kPlant);
  if (!shared) {
    print_errors(console, {{"plant", "there is no memory of a supervisor: " + shared.error().what}},
                 "this verb is not for people: use kinloop run");
    return console::kBadInput;
  }
  rt::PlantMemory& memory = shared->memory();
  memory.plant_is_mapped.store(1, std::memory_order_release);  // and sealed
  stop_word = &memory.ends;                                    // a plant without a supervisor has no watchdog: it ends
  const SupervisorFollower follower("kinloop-plant", wish_to_stop, memory);
  const auto rig = load_rig(rig_file);
  if (!rig) {
    print_errors(console, rig.error(), "");
    return console::kBadInput;
  }
  if (!may_begin(memory)) return console::kInternalError;
  prepare_plant_process(rig->spec);
  return run_plant(*rig, rig_file, options, memory);
}

}  // namespace kinloop::run
