// A process that leaves signals from the terminal to the supervisor.
#include "services/run/plant_process.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

#include "services/cli/exit_code.hpp"
#include "services/run/plant_host.hpp"

namespace kinloop::run {
namespace {

std::atomic<std::uint32_t>* stop_word = nullptr;

extern "C" void wish_to_stop(int /*number*/) {
  if (stop_word != nullptr) stop_word->store(1, std::memory_order_relaxed);
  constexpr unsigned kPatience_s = 2;
  ::alarm(kPatience_s);  // which ends a process that does not listen
}

/// A plant without a supervisor has no watchdog: it ends.
void end_with_supervisor(rt::PlantMemory& memory) {
  stop_word = &memory.stop;
  std::signal(SIGTERM, wish_to_stop);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGUSR1, SIG_IGN);
  sigset_t held_back;  // by the supervisor, until they are ignored
  sigemptyset(&held_back);
  for (const int number : {SIGINT, SIGUSR1}) sigaddset(&held_back, number);
  ::pthread_sigmask(SIG_UNBLOCK, &held_back, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != memory.supervisor) memory.stop.store(1, std::memory_order_relaxed);  // it died before
}

}  // namespace

int run_plant_process(const std::filesystem::path& rig_file, const PlantRunOptions& options,
                      const cli::Console& console) {
  const auto shared = rt::SharedMemory::open(kMemoryDescriptor, sizeof(rt::PlantMemory));
  if (!shared) {
    print_errors(console, {{"plant", "there is no memory of a supervisor: " + shared.error().what}},
                 "this verb is not for people: use kinloop run");
    return cli::kBadInput;
  }
  rt::PlantMemory& memory = rt::found_in<rt::PlantMemory>(*shared);
  if (memory.layout != rt::PlantMemory::kLayout) {
    print_errors(console, {{"plant", "the supervisor is of another version"}}, "");
    return cli::kInternalError;
  }
  ::prctl(PR_SET_NAME, "kinloop-plant");  // for ps and top
  end_with_supervisor(memory);
  const auto rig = load_rig(rig_file);
  if (!rig) {
    print_errors(console, rig.error(), "");
    return cli::kBadInput;
  }
  return run_plant(*rig, options, memory);
}

}  // namespace kinloop::run
