// A process that leaves signals from the terminal to the supervisor.
#include "services/run/plant_process.hpp"

#include <unistd.h>

#include <csignal>

#include "services/console/exit_code.hpp"
#include "services/run/child_process.hpp"

namespace kinloop::run {
namespace {

std::atomic<std::uint32_t>* stop_word = nullptr;

extern "C" void wish_to_stop(int /*number*/) {
  if (stop_word != nullptr) stop_word->store(1, std::memory_order_relaxed);
  constexpr unsigned kPatience_s = 2;
  ::alarm(kPatience_s);  // which ends a process that does not listen
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
  stop_word = &memory.ends;  // a plant without a supervisor has no watchdog: it ends
  follow_supervisor("kinloop-plant", wish_to_stop, memory);
  const auto rig = load_rig(rig_file);
  if (!rig) {
    print_errors(console, rig.error(), "");
    return console::kBadInput;
  }
  prepare_plant_process(rig->spec);
  return run_plant(*rig, rig_file, options, memory);
}

}  // namespace kinloop::run
