// Opens them one after the other; what cannot be opened keeps the plant from starting.
#include "services/run/stop_ways.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include "services/base/diagnostics.hpp"
#include "services/base/error_text.hpp"
#include "services/net/stop_socket.hpp"
#include "services/net/tcp_listener.hpp"

namespace kinloop::run {
namespace {

using Errors = std::vector<Error>;

/// Connections of strangers must not leave the supervisor without descriptors.
void permit_many_descriptors() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

/// The port after the page's where somebody chose that one, for those who open ports in a firewall; else, or where it
/// is taken, any.
Result<net::TcpListener> listen_beside(const gateway::PanelAddress& page, log::Logger log) {
  constexpr std::uint16_t kLastPort = 65535;
  const bool is_chosen = page.spare_ports == 0 && page.port != 0 && page.port != kLastPort;
  if (is_chosen) {
    auto next = net::listen_tcp(page.host, static_cast<std::uint16_t>(page.port + 1));
    if (next) return next;
    log.warning("the page's stop takes another port: " + to_line(next.error()));
  }
  return net::listen_tcp(page.host, 0);
}

}  // namespace

Result<std::unique_ptr<StopWays>, Errors> StopWays::open(const StopWaysOptions& options, rt::PlantMemory& memory,
                                                         log::Logger log) {
  std::unique_ptr<StopWays> ways(new StopWays());
  std::vector<StopDoor> doors;
  std::optional<Error> error = ways->open_local(options.folder, doors);
  if (!error && options.page != nullptr) error = ways->open_http(*options.page, log, doors);
  ways->server_ = std::make_unique<StopServer>(std::move(doors), StopServerOptions{options.wishes}, memory,
                                               ways->server_beat_, log);  // closes them too
  if (error) return Errors{*error};
  if (RemoteStop::is_wanted(options.listen)) {
    permit_many_descriptors();
    RemoteStopOptions how;
    how.wishes = options.wishes;
    auto remote = RemoteStop::start(options.listen, how, memory, ways->remote_beat_, log);
    if (!remote) return remote.error();
    ways->remote_ = std::move(remote).value();
    const auto& more = ways->remote_->endpoints();
    ways->endpoints_.insert(ways->endpoints_.end(), more.begin(), more.end());
  }
  return ways;
}

std::vector<WatchedThread> StopWays::threads() const {
  std::vector<WatchedThread> all = {{"the thread for stops by local sockets", &server_beat_, kStopDeadline_ns}};
  if (remote_) all.push_back({"the thread for stops over TCP", &remote_beat_, kStopDeadline_ns});
  return all;
}

void StopWays::tell(const std::string& address) {
  v1::Endpoint endpoint;
  endpoint.set_socket(net::kStopSocket);
  endpoint.set_address(address);
  endpoints_.push_back(std::move(endpoint));
}

std::optional<Error> StopWays::open_local(const std::filesystem::path& folder, std::vector<StopDoor>& doors) {
  const std::filesystem::path path = folder / net::kStopSocket;
  const int listener = net::listen_unix(path);
  if (listener < 0) return Error{path.string(), "no socket can be made there: " + host::error_text()};
  doors.push_back({listener, stop_by_line()});
  tell("unix://" + path.string());
  return std::nullopt;
}

std::optional<Error> StopWays::open_http(const gateway::GatewayOptions& page, log::Logger log,
                                         std::vector<StopDoor>& doors) {
  gateway::Tokens tokens;
  if (!page.tokens.empty()) {
    auto read = gateway::Tokens::read(page.tokens);
    if (!read) return read.error();
    tokens = std::move(read).value();
  }
  const auto listener = listen_beside(page.address, log);
  if (!listener) return listener.error();
  doors.push_back({listener->socket, stop_by_http(gateway::Access(page.address, std::move(tokens)), page_port_)});
  tell(gateway::url_of(page.address, listener->port));
  return std::nullopt;
}

}  // namespace kinloop::run
