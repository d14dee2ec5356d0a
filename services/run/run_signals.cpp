// Flags are the only thing a handler may touch.
#include "services/run/run_signals.hpp"

#include <atomic>

namespace kinloop::run {
namespace {

volatile std::sig_atomic_t ended = 0;
volatile std::sig_atomic_t asked = 0;
volatile std::sig_atomic_t stopped_early = 0;
std::atomic<rt::PlantMemory*> to_stop{nullptr};
static_assert(std::atomic<rt::PlantMemory*>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

extern "C" void keep_end(int /*number*/) { ended = 1; }
extern "C" void keep_question(int /*number*/) { asked = 1; }
extern "C" void stop_plant(int /*number*/) {
  rt::PlantMemory* memory = to_stop.load(std::memory_order_acquire);  // as it was made before it was stored
  if (memory == nullptr) {
    stopped_early = 1;
    return;
  }
  rt::ask_stop(memory->stops, rt::StopWriter::kSupervisor, memory->heartbeat.iterations);
}

void handle(int number, void (*handler)(int), int flags, struct sigaction& old) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = flags;
  sigaction(number, &action, &old);
}

}  // namespace

RunSignals::RunSignals() noexcept {
  ended = 0;
  asked = 0;
  stopped_early = 0;
  handle(SIGINT, keep_end, static_cast<int>(SA_RESETHAND), old_int_);  // the second Ctrl-C is not caught
  handle(SIGTERM, keep_end, SA_RESTART, old_term_);
  handle(SIGUSR1, keep_question, SA_RESTART, old_user_);
  handle(SIGUSR2, stop_plant, SA_RESTART, old_stop_);
  handle(SIGPIPE, SIG_IGN, 0, old_pipe_);
  handle(SIGCHLD, SIG_DFL, 0,
         old_child_);  // a parent may have left it ignored: the end of the plant would not be signalled
}

RunSignals::~RunSignals() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
  sigaction(SIGUSR1, &old_user_, nullptr);
  sigaction(SIGUSR2, &old_stop_, nullptr);
  to_stop.store(nullptr);
  sigaction(SIGPIPE, &old_pipe_, nullptr);
  sigaction(SIGCHLD, &old_child_, nullptr);
}

void RunSignals::stop_through(rt::PlantMemory& memory) noexcept {
  to_stop.store(&memory, std::memory_order_release);
  if (stopped_early != 0) stop_plant(SIGUSR2);
}

bool RunSignals::wants_end() const noexcept { return ended != 0; }

bool RunSignals::wants_report() noexcept {
  const bool wanted = asked != 0;
  asked = 0;
  return wanted;
}

}  // namespace kinloop::run
