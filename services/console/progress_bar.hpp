// Owns the progress bar that people see on a terminal.
#pragma once

#include <chrono>

#include "services/console/console.hpp"

namespace kinloop::console {

/// Draws on the error stream if that is a terminal, a few times a second; wipes itself off at the end.
class ProgressBar {
 public:
  explicit ProgressBar(const Console& console) : console_(console) {}
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `share` from 0 to 1. Cheap if it is not yet time to draw.
  void show(double share, double time_s);

 private:
  using Clock = std::chrono::steady_clock;
  const Console& console_;
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(200);
  bool drawn_ = false;
};

}  // namespace kinloop::console
