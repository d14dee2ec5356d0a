// Owns the signals of a run: SIGINT and SIGTERM end it, SIGUSR1 asks for a report; who reads its output may go away.
#pragma once

#include <csignal>

namespace kinloop::run {

/// While it lives, the signals only raise flags. One at a time.
class RunSignals {
 public:
  RunSignals() noexcept;
  ~RunSignals();
  RunSignals(const RunSignals&) = delete;
  RunSignals& operator=(const RunSignals&) = delete;

  /// SIGINT or SIGTERM came.
  bool wants_end() const noexcept;
  /// SIGUSR1 came since this was asked last.
  bool wants_report() noexcept;

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
  struct sigaction old_user_ {};
  struct sigaction old_pipe_ {};
  struct sigaction old_child_ {};
};

}  // namespace kinloop::run
