// Owns Request: what must not be lost on its way to the loop. It takes effect at the top of a tick.
#pragma once

#include "rt/command.hpp"

namespace kinloop::rt {

enum class RequestKind : std::uint32_t {
  kCommand,  // lockstep: releases one step
  kPause,
  kResume,
  kStop,
};

struct Request {
  RequestKind kind = RequestKind::kCommand;
  Command command;  // of kCommand
};

}  // namespace kinloop::rt
