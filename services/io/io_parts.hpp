// Owns IoParts: what receivers, frames and housekeeping of io share.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "services/gateway/gateway.hpp"
#include "services/io/adapter_set.hpp"
#include "services/io/capture.hpp"
#include "services/io/command_arbiter.hpp"
#include "services/io/event_publisher.hpp"
#include "services/io/io.hpp"
#include "services/io/live_parameters.hpp"
#include "services/io/plant_channel.hpp"
#include "services/io/recorder.hpp"
#include "services/io/sockets.hpp"
#include "services/io/task_queue.hpp"

namespace kinloop::io {

/// In the order in which they are made; they end the other way round.
struct IoParts {
  /// `sockets`: null where nobody can connect. All must outlive it.
  IoParts(const LoadedRig& rig, const IoOptions& options, rt::PlantMemory& memory, std::unique_ptr<Sockets> sockets);

  bool is_lockstep() const noexcept { return rig.spec.mode == rt::Mode::kLockstep; }
  /// No io served this run before.
  bool is_first() const noexcept { return memory.epoch.load(std::memory_order_relaxed) <= 1; }
  /// Null where there are no sockets.
  zmq::socket_t* socket(net::Channel channel) { return sockets ? &sockets->of(channel) : nullptr; }

  const LoadedRig& rig;
  const IoOptions& options;
  rt::PlantMemory& memory;
  std::unique_ptr<Sockets> sockets;
  LiveParameters live_parameters;
  v1::Description description;
  CommandArbiter commands;
  AdapterSet adapters;
  PlantChannel plant;
  TaskQueue tasks;
  Capture capture;
  Recorder recorder;
  EventPublisher events;
};

/// With sockets bound, adapters open, and the record begun that the options ask for. Errors: what keeps io from
/// starting.
Result<std::unique_ptr<IoParts>, std::vector<Error>> open_parts(const LoadedRig& rig, const IoOptions& options,
                                                                rt::PlantMemory& memory, log::Logger log);

/// The page, where the options ask for one; the description names its address from then on.
Result<std::unique_ptr<gateway::Gateway>, std::vector<Error>> open_page(IoParts& parts, log::Logger log);

/// Tells clients on this host where the plant is, if the options name a folder for it.
std::optional<Error> tell_endpoints(const IoParts& parts, log::Logger log);

/// From an io before this one, which died: ends the journal that nobody reads any more, and begins the record again.
void take_over(IoParts& parts);

}  // namespace kinloop::io
