// Owns the stop socket of plants that are reached by TCP: ZeroMQ, with the keys of the plant's other sockets, served by
// a thread of the supervisor. It speaks as the local one does: services/net/stop_socket.hpp.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "core/base/result.hpp"
#include "rt/loop/plant_memory.hpp"
#include "services/io/sockets.hpp"
#include "services/log/log.hpp"
#include "services/run/stop_call.hpp"

namespace kinloop::run {

class RemoteStop {
 public:
  /// Listens beside every TCP address of `listen`, four ports further where the port was chosen; at any other port
  /// where that is taken, which is logged. Whoever the keys let in may stop. The memory must outlive it.
  static Result<std::unique_ptr<RemoteStop>, std::vector<Error>> start(const io::ListenOptions& listen,
                                                                       rt::PlantMemory& memory, log::Logger log);
  RemoteStop(const RemoteStop&) = delete;
  RemoteStop& operator=(const RemoteStop&) = delete;
  ~RemoteStop();

  const std::vector<v1::Endpoint>& endpoints() const noexcept { return endpoints_; }
  /// Of its thread.
  const rt::Beat& beat() const noexcept { return beat_; }

 private:
  struct Pending {
    std::string client;
    StopCall call;
  };

  RemoteStop(zmq::context_t context, rt::PlantMemory& memory, log::Logger log);
  Result<std::vector<v1::Endpoint>, std::vector<Error>> open(const io::ListenOptions& listen);
  void serve();
  void take_all();
  void answer_all();

  zmq::context_t context_;
  rt::PlantMemory& memory_;
  log::Logger log_;
  std::unique_ptr<security::ZapHandler> zap_;  // before the socket, and ended after it
  zmq::socket_t socket_;
  std::vector<v1::Endpoint> endpoints_;
  std::vector<Pending> pending_;  // oldest first
  std::atomic<bool> ends_{false};
  rt::Beat beat_;
  std::thread thread_;
};

}  // namespace kinloop::run
