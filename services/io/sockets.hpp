// Owns the four sockets of a plant: bound, guarded, and told to others.
#pragma once

#include <kinloop/v1/describe.pb.h>

#include <memory>
#include <optional>
#include <zmq.hpp>

#include "services/net/bound_socket.hpp"
#include "services/net/listen_address.hpp"
#include "services/security/zap.hpp"

namespace kinloop::io {

struct ListenOptions {
  std::vector<net::ListenAddress> addresses;
  std::filesystem::path keys;        // of those who may connect; empty: none are asked for
  std::filesystem::path server_key;  // the plant's own secret file
  net::Consent consent = net::Consent::kNone;
  std::shared_ptr<zmq::context_t> context;  // shared with clients in this process, for inproc; nothing: one is made
};

struct Sockets {
  std::shared_ptr<zmq::context_t> context;
  std::unique_ptr<security::ZapHandler> zap;  // before the sockets, and ended after them
  std::array<std::optional<zmq::socket_t>, net::kChannels.size()> all;
  std::vector<v1::Endpoint> endpoints;
  /// Of each channel, those that others have taken. The threads that use the sockets try them again.
  std::array<std::vector<net::BindAddress>, net::kChannels.size()> down;
  std::optional<security::SecretKey> server_key;

  zmq::socket_t& of(net::Channel channel) { return *all[static_cast<std::size_t>(channel)]; }
};

/// `earlier` are the endpoints of an io before this one, whose ports are wanted again; where others took one meanwhile,
/// it goes on without.
Result<std::unique_ptr<Sockets>, std::vector<Error>> open_sockets(const ListenOptions& options,
                                                                  const std::vector<v1::Endpoint>& earlier,
                                                                  const security::ZapHandler::Report& report);

}  // namespace kinloop::io
