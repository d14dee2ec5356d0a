// Owns the wish to stop: Ctrl-C asks once, a second one ends the program as usual.
#pragma once

#include <csignal>

namespace kinloop::cli {

/// While it lives, SIGINT and SIGTERM only raise a flag. One at a time.
class Interrupt {
 public:
  Interrupt() noexcept;
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// The signal that came, or 0.
  int signal() const noexcept;

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
};

}  // namespace kinloop::cli
