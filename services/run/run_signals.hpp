// Owns the signals of a run: SIGINT and SIGTERM end it, SIGUSR1 asks for a report, SIGUSR2 is an emergency stop; who
// reads its output may go away.
#pragma once

#include <csignal>

#include "rt/loop/plant_memory.hpp"

namespace kinloop::run {

/// While it lives, the signals only raise flags, in shared memory the emergency stop. One at a time.
class RunSignals {
 public:
  RunSignals() noexcept;
  ~RunSignals();
  RunSignals(const RunSignals&) = delete;
  RunSignals& operator=(const RunSignals&) = delete;

  /// From now on SIGUSR2 stops this plant, whatever else the process does; one that came before does so now.
  void stop_through(rt::PlantMemory& memory) noexcept;

  /// SIGINT or SIGTERM came.
  bool wants_end() const noexcept;
  /// SIGUSR1 came since this was asked last.
  bool wants_report() noexcept;

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
  struct sigaction old_user_ {};
  struct sigaction old_stop_ {};
  struct sigaction old_pipe_ {};
  struct sigaction old_child_ {};
};

}  // namespace kinloop::run
