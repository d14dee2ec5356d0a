// Binds each socket to all addresses.
#include "services/io/sockets.hpp"

#include "services/security/key_file.hpp"

namespace kinloop::io {
namespace {

using Errors = std::vector<Error>;

struct Kind {
  net::Channel channel;
  zmq::socket_type type;
  net::SocketBounds bounds;
};

constexpr std::int64_t kFrameBytes = 4096;
constexpr std::int64_t kControlBytes = std::int64_t{16} << 20;  // snapshots come this way
constexpr int kControlQueue = 64;
constexpr int kFrameQueue = 1000;
constexpr int kMaxSockets = 64;

const std::array<Kind, net::kChannels.size()> kKinds = {{
    {net::Channel::kControl, zmq::socket_type::router, {kControlQueue, kControlBytes}},
    {net::Channel::kActuators, zmq::socket_type::router, {kFrameQueue, kFrameBytes}},
    {net::Channel::kSensors, zmq::socket_type::xpub, {kFrameQueue, kFrameBytes}},
    {net::Channel::kEvents, zmq::socket_type::pub, {kFrameQueue, kFrameBytes}},
}};

std::vector<net::BindAddress> addresses_of(const ListenOptions& options, net::Channel channel,
                                           const std::vector<v1::Endpoint>& earlier) {
  const net::Keys keys = options.keys.empty() ? net::Keys::kNone : net::Keys::kGiven;
  std::vector<std::string> bound_before;
  for (const v1::Endpoint& endpoint : earlier) {
    if (endpoint.socket() == net::name_of(channel)) bound_before.push_back(endpoint.address());
  }
  std::vector<net::BindAddress> all;
  for (const net::ListenAddress& address : options.addresses) {
    const bool guarded = net::protection_of(address, keys, options.consent) == net::Protection::kCurve;
    const bool again = bound_before.size() == options.addresses.size();
    all.push_back({again ? bound_before[all.size()] : net::endpoint_of(address, channel),
                   guarded ? net::Access::kCurve : net::Access::kOpen});
  }
  return all;
}

}  // namespace

Result<std::unique_ptr<Sockets>, Errors> open_sockets(const ListenOptions& options,
                                                      const std::vector<v1::Endpoint>& earlier,
                                                      const security::ZapHandler::Report& report) {
  auto sockets = std::make_unique<Sockets>();
  sockets->context = options.context;
  if (!sockets->context) {
    auto context = net::make_context(kMaxSockets);
    if (!context) return Errors{context.error()};
    sockets->context = std::make_shared<zmq::context_t>(std::move(context).value());
  }
  std::optional<security::KeyPair> server;
  if (!options.keys.empty()) {
    auto pair = security::read_key_pair(options.server_key);
    if (!pair) return pair.error();
    server.emplace(std::move(pair).value());
    auto folder = security::KeyFolder::open(options.keys);
    if (!folder) return folder.error();
    auto zap = security::ZapHandler::start(*sockets->context, std::move(folder).value(), report);
    if (!zap) return Errors{zap.error()};
    sockets->zap = std::move(zap).value();
  }
  if (server) sockets->server_key = server->secret_key;
  for (const Kind& kind : kKinds) {
    const auto addresses = addresses_of(options, kind.channel, earlier);
    const net::OnTaken on_taken = earlier.empty() ? net::OnTaken::kFail : net::OnTaken::kGoOn;
    auto bound = net::bind_socket(*sockets->context, kind.type, kind.bounds, addresses,
                                  server ? &server->secret_key : nullptr, on_taken);
    if (!bound) return Errors{bound.error()};
    sockets->down[static_cast<std::size_t>(kind.channel)] = std::move(bound->down);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      v1::Endpoint endpoint;
      endpoint.set_socket(std::string(net::name_of(kind.channel)));
      endpoint.set_address(bound->endpoints[i]);
      if (addresses[i].access == net::Access::kCurve) endpoint.set_server_key(server->public_key);
      sockets->endpoints.push_back(std::move(endpoint));
    }
    sockets->all[static_cast<std::size_t>(kind.channel)] = std::move(bound->socket);
  }
  return sockets;
}

}  // namespace kinloop::io
