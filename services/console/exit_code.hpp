// Owns the exit codes of every verb; scripts rely on them.
#pragma once

namespace kinloop::console {

enum ExitCode : int {
  kDone = 0,
  kInternalError = 1,
  kBadInput = 2,         // bad usage, bad files
  kOverrunLimit = 3,     // too many steps ended too late
  kWatchdogTripped = 4,  // the plant showed no life
  kDiffers = 5,          // the motion diverged, or values differ from those expected
  kRefused = 6,          // the host does not permit what real time needs
};

/// What shells add to the signal that ended a program.
inline constexpr int kSignalBase = 128;

}  // namespace kinloop::console
