// The flag is the only thing a handler may touch.
#include "services/cli/interrupt.hpp"

namespace kinloop::cli {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void keep_signal(int number) { received = number; }

}  // namespace

Interrupt::Interrupt() noexcept {
  received = 0;
  struct sigaction action {};
  action.sa_handler = keep_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second Ctrl-C is not caught
  sigaction(SIGINT, &action, &old_int_);
  sigaction(SIGTERM, &action, &old_term_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
}

int Interrupt::signal() const noexcept { return received; }

}  // namespace kinloop::cli
