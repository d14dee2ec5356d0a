// Owns the seam between signals and a wire: one file an adapter, one entry in adapters.cpp.
//
// ZeroMQ is the wire that is always there (sockets.hpp); these are for controllers that do not speak it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "rt/frame.hpp"
#include "services/io/command_desk.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::io {

class Adapter {
 public:
  Adapter() = default;
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;
  virtual ~Adapter() = default;

  /// Once, before anything else; in lockstep it may release the first step.
  virtual void begin(std::int64_t /*now_ns*/) {}
  /// To wait for; -1: nothing comes from outside.
  virtual int descriptor() const noexcept { return -1; }
  /// By the main thread, when the descriptor is readable. Bounded.
  virtual void receive(std::int64_t /*now_ns*/) {}
  /// By the thread that takes frames from the plant: must not block.
  virtual void send(const rt::SensorFrame& frame, std::int64_t now_ns) = 0;
  /// For people, in status and log: what it refused; empty: nothing.
  virtual std::string trouble() const { return {}; }
};

/// All that the rig asks for. Errors name fields of the rig.
Result<std::vector<std::unique_ptr<Adapter>>> make_adapters(const LoadedRig& rig, CommandDesk& commands);

}  // namespace kinloop::io
