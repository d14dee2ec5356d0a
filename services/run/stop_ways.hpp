// Owns all sockets by which the supervisor itself is asked for a stop: a local one, HTTP where there is a page, ZeroMQ
// where the plant is reached by TCP.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.hpp"
#include "services/gateway/gateway.hpp"
#include "services/io/sockets.hpp"
#include "services/run/part_watch.hpp"
#include "services/run/remote_stop.hpp"
#include "services/run/stop_server.hpp"

namespace kinloop::run {

struct StopWaysOptions {
  std::filesystem::path folder;                   // of the plant: the local socket is there
  io::ListenOptions listen;                       // addresses beside which a stop socket listens, keys
  const gateway::GatewayOptions* page = nullptr;  // nothing: no HTTP
  rt::ThreadWishes wishes;                        // of the threads that serve them
};

class StopWays {
 public:
  /// Serves from now on. The memory must outlive it.
  static Result<std::unique_ptr<StopWays>, std::vector<Error>> open(const StopWaysOptions& options,
                                                                    rt::PlantMemory& memory, log::Logger log);

  /// What clients are told.
  const std::vector<v1::Endpoint>& endpoints() const noexcept { return endpoints_; }
  /// Those that serve them, to be watched.
  std::vector<WatchedThread> threads() const;
  /// The page is served there: it may ask over HTTP.
  void set_page_port(std::uint16_t port) noexcept { page_port_.store(port, std::memory_order_relaxed); }

 private:
  StopWays() = default;
  void tell(const std::string& address);
  std::optional<Error> open_local(const std::filesystem::path& folder, std::vector<StopDoor>& doors);
  std::optional<Error> open_http(const gateway::GatewayOptions& page, log::Logger log, std::vector<StopDoor>& doors);

  std::vector<v1::Endpoint> endpoints_;
  std::atomic<std::uint16_t> page_port_{0};  // 0: none yet
  rt::Beat server_beat_, remote_beat_;
  std::unique_ptr<StopServer> server_;
  std::unique_ptr<RemoteStop> remote_;
};

}  // namespace kinloop::run
