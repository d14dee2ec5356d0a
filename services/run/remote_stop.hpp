// Owns the stop socket of plants that are reached by TCP: ZeroMQ, with the keys of the plant's other sockets, served by
// a thread of its own, one in the supervisor and one in io. It speaks as the local one does:
// services/net/stop_socket.hpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <latch>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "core/base/result.hpp"
#include "rt/loop/plant_memory.hpp"
#include "rt/loop/thread_setup.hpp"
#include "services/io/sockets.hpp"
#include "services/log/log.hpp"
#include "services/net/bound_socket.hpp"
#include "services/run/stop_call.hpp"

namespace kinloop::run {

struct RemoteStopOptions {
  rt::ThreadWishes wishes = {};  // granted as far as the host permits
  rt::StopWriter writer = rt::StopWriter::kSupervisor;
  /// Of one before this, whose ports are wanted again: where others took one meanwhile, it goes on without and tries
  /// again.
  std::vector<v1::Endpoint> earlier = {};
  std::function<void()> when_set_up = {};  // by each of its threads, before it hears anybody; one after the other
};

class RemoteStop {
 public:
  /// Whether anything of it is reached by TCP.
  static bool is_wanted(const io::ListenOptions& listen);
  /// Listens beside every TCP address of `listen`, four ports further (io: five) where the port was chosen; at any
  /// other port where that is taken, which is logged. Whoever the keys let in may stop. Memory and beat must outlive
  /// it.
  static Result<std::unique_ptr<RemoteStop>, std::vector<Error>> start(const io::ListenOptions& listen,
                                                                       RemoteStopOptions options,
                                                                       rt::PlantMemory& memory, rt::Beat& beat,
                                                                       log::Logger log);
  RemoteStop(const RemoteStop&) = delete;
  RemoteStop& operator=(const RemoteStop&) = delete;
  ~RemoteStop();

  const std::vector<v1::Endpoint>& endpoints() const noexcept { return endpoints_; }
  /// Addresses that somebody else has now. By any thread.
  std::vector<std::string> down() const;

 private:
  struct Pending {
    std::string client;
    StopCall call;
  };
  enum class Crowd { kFew, kMany };

  RemoteStop(zmq::context_t context, RemoteStopOptions options, rt::PlantMemory& memory, rt::Beat& beat,
             log::Logger log);
  std::vector<Error> open(const io::ListenOptions& listen);
  Result<net::BoundSocket> bind(const io::ListenOptions& listen, std::vector<net::BindAddress>& addresses);
  void serve();
  Crowd take_all();
  void answer_all();
  void bind_what_is_down();

  zmq::context_t context_;
  RemoteStopOptions options_;
  rt::PlantMemory& memory_;
  rt::Beat& beat_;
  log::Logger log_;
  std::optional<security::SecretKey> server_key_;
  std::unique_ptr<security::ZapHandler> zap_;  // before the socket, and ended after it
  zmq::socket_t socket_;
  std::vector<v1::Endpoint> endpoints_;
  mutable std::mutex down_mutex_;
  std::vector<net::BindAddress> down_;
  std::chrono::steady_clock::time_point next_bind_{};
  std::deque<Pending> pending_;  // oldest first
  std::atomic<bool> ends_{false};
  std::latch is_set_up_{1};
  std::thread thread_;
};

}  // namespace kinloop::run
