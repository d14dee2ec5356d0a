// Owns the thread that serves stops over sockets, one in the supervisor and one in io: nothing else is done there, so
// nothing holds it up.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "rt/loop/plant_memory.hpp"
#include "rt/loop/thread_setup.hpp"
#include "services/log/log.hpp"
#include "services/run/stop_call.hpp"
#include "services/run/stop_protocol.hpp"

namespace kinloop::run {

/// A listening socket, which does not block, and what is spoken there.
struct StopDoor {
  int listener = -1;  // closed by the server
  std::unique_ptr<StopProtocol> protocol;
};

struct StopServerOptions {
  rt::ThreadWishes wishes;  // granted as far as the host permits
  rt::StopWriter writer = rt::StopWriter::kSupervisor;
  std::function<void()> when_set_up = {};  // by the thread itself, before it listens to anybody
};

class StopServer {
 public:
  /// The memory and the beat must outlive it.
  StopServer(std::vector<StopDoor> doors, StopServerOptions options, rt::PlantMemory& memory, rt::Beat& beat,
             log::Logger log);
  StopServer(const StopServer&) = delete;
  StopServer& operator=(const StopServer&) = delete;
  ~StopServer();

 private:
  struct Client {
    int socket;
    const StopProtocol* protocol;
    std::string said;  // until it is a stop
    StopCall call;     // count 0: none yet
    std::chrono::steady_clock::time_point since;
  };

  void serve();
  bool accept_some(const StopDoor& door);
  void make_room(const StopProtocol* protocol);
  bool listen_to(Client& client);
  bool answer(Client& client);
  void drop(std::size_t at);

  std::vector<StopDoor> doors_;
  StopServerOptions options_;
  rt::PlantMemory& memory_;
  rt::Beat& beat_;
  log::Logger log_;
  std::vector<Client> clients_;  // oldest first
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace kinloop::run
