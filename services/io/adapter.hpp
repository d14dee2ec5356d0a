// Owns the seam between signals and a wire: one file an adapter, one entry in adapters.cpp.
//
// ZeroMQ is the wire that is always there (sockets.hpp); these are for controllers that do not speak it. The main
// thread calls all of it but send(), which in real_time and free is called by the thread that takes frames; in lockstep
// there is the main thread alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "rt/loop/loop_status.hpp"
#include "rt/messages/frame.hpp"
#include "services/io/command_arbiter.hpp"
#include "services/rig/rig_file.hpp"

namespace kinloop::io {

class Adapter {
 public:
  Adapter() = default;
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;
  virtual ~Adapter() = default;

  /// Once, before anything else. `plant`: where it stands; step 0 unless io died and was started again. In lockstep it
  /// may release the first step.
  virtual void begin(const rt::LoopStatus& /*plant*/, std::int64_t /*now_ns*/) {}
  /// To wait for; -1: nothing comes from outside.
  virtual int descriptor() const noexcept { return -1; }
  /// In every round of the main thread, whether or not the descriptor is readable. Bounded, never blocks.
  virtual void receive(std::int64_t /*now_ns*/) {}
  /// Every frame that leaves the plant. Never blocks.
  virtual void send(const rt::SensorFrame& frame, std::int64_t now_ns) = 0;
  /// Lockstep: a step that it released has not been answered yet. Then io spins for frames first.
  virtual bool is_waiting() const noexcept { return false; }
  /// Messages that were dropped, of which status tells.
  virtual std::int64_t refused() const noexcept { return 0; }
  /// For people, in events: what is wrong; empty: nothing.
  virtual std::string trouble() const { return {}; }
};

/// All that the rig asks for. Errors name fields of the rig.
Result<std::vector<std::unique_ptr<Adapter>>> make_adapters(const LoadedRig& rig, CommandArbiter& commands);

}  // namespace kinloop::io
