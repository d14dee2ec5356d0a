// Flags are the only thing a handler may touch.
#include "services/run/run_signals.hpp"

namespace kinloop::run {
namespace {

volatile std::sig_atomic_t ended = 0;
volatile std::sig_atomic_t asked = 0;

extern "C" void keep_end(int /*number*/) { ended = 1; }
extern "C" void keep_question(int /*number*/) { asked = 1; }

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
  handle(SIGINT, keep_end, static_cast<int>(SA_RESETHAND), old_int_);  // the second Ctrl-C is not caught
  handle(SIGTERM, keep_end, SA_RESTART, old_term_);
  handle(SIGUSR1, keep_question, SA_RESTART, old_user_);
  handle(SIGPIPE, SIG_IGN, 0, old_pipe_);
  handle(SIGCHLD, SIG_DFL, 0,
         old_child_);  // a parent may have left it ignored: the end of the plant would not be signalled
}

RunSignals::~RunSignals() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
  sigaction(SIGUSR1, &old_user_, nullptr);
  sigaction(SIGPIPE, &old_pipe_, nullptr);
  sigaction(SIGCHLD, &old_child_, nullptr);
}

bool RunSignals::wants_end() const noexcept { return ended != 0; }

bool RunSignals::wants_report() noexcept {
  const bool wanted = asked != 0;
  asked = 0;
  return wanted;
}

}  // namespace kinloop::run
