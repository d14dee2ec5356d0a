// Owns the thread of the supervisor that serves the stop socket: nothing else is done there, so nothing holds it up.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/base/result.hpp"
#include "rt/loop/plant_memory.hpp"
#include "services/log/log.hpp"

namespace kinloop::run {

class StopServer {
 public:
  /// Listens at the path, for this user alone. The memory must outlive it.
  static Result<std::unique_ptr<StopServer>> start(const std::filesystem::path& path, rt::PlantMemory& memory,
                                                   log::Logger log);
  StopServer(const StopServer&) = delete;
  StopServer& operator=(const StopServer&) = delete;
  ~StopServer();

 private:
  struct Client {
    int socket;
    std::string said;         // until it is a stop
    std::uint64_t count = 0;  // of its stop; 0: none yet
    std::uint64_t asked_tick = 0;
    std::chrono::steady_clock::time_point since;
  };

  StopServer(int listener, rt::PlantMemory& memory, log::Logger log);
  void serve();
  void accept_all();
  bool listen_to(Client& client);
  bool answer(Client& client);
  void drop(std::size_t at);

  int listener_;
  rt::PlantMemory& memory_;
  log::Logger log_;
  std::vector<Client> clients_;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace kinloop::run
