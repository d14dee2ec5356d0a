// Owns PanelSession: one connected page, with its own connections to the plant, so that a flood takes its share only.
#pragma once

#include <kinloop/v1/panel.pb.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <zmq.hpp>

#include "services/gateway/plant_endpoints.hpp"
#include "services/gateway/snapshot_store.hpp"
#include "services/gateway/socket_watch.hpp"
#include "services/gateway/web_handler.hpp"
#include "services/security/role.hpp"

namespace kinloop::gateway {

/// What pages need of the gateway; it outlives them.
struct PanelSessionParts {
  boost::asio::io_context& context;
  zmq::context_t& sockets;
  const PlantEndpoints& endpoints;
  SnapshotStore& store;
  std::function<void()> store_changed;
};

class PanelSession final : public SocketHandler {
 public:
  PanelSession(const PanelSessionParts& parts, std::shared_ptr<WebPeer> peer, security::Caller caller,
               std::uint64_t client);

  void take(std::string_view bytes) override;
  void leave() override;

  bool is_gone() const noexcept { return is_gone_; }
  const security::Caller& caller() const noexcept { return caller_; }
  void send(const v1::PageMessage& message);
  void send(std::shared_ptr<const std::string> bytes, WebPeer::Kind kind) { peer_->send(std::move(bytes), kind); }

  /// Whether a picture is due, and of what kind.
  bool wants_view(std::int64_t now_ns);
  bool wants_forces() const noexcept { return wishes_.forces(); }
  std::uint64_t next_sample = 0;  // of those that it has not been sent

 private:
  void take(v1::ControlRequest request);
  void take(const v1::ActuatorFrame& frame);
  void take(const v1::Wishes& wishes);
  void take(const v1::SnapshotWish& wish);
  void ask(v1::ControlRequest request);
  void take_reply(zmq::message_t& part, bool has_more);
  void take_refusal(zmq::message_t& part, bool has_more);
  void finish(const v1::SnapshotWish& wish, v1::ControlReply reply);
  void refuse(std::uint64_t request_id, v1::ErrorCode code, std::string text);
  void give_back();

  const PanelSessionParts& parts_;
  std::shared_ptr<WebPeer> peer_;
  security::Caller caller_;
  std::uint64_t client_;
  zmq::socket_t control_, actuators_;
  std::optional<SocketWatch> control_watch_, actuator_watch_;
  v1::Wishes wishes_;
  std::set<std::uint64_t> leases_;
  std::map<std::uint64_t, v1::SnapshotWish> waiting_;    // by the number of our own request
  std::uint64_t last_own_id_ = std::uint64_t{1} << 63U;  // apart from those of pages
  std::int64_t next_view_ns_ = 0;
  bool is_gone_ = false;
};

}  // namespace kinloop::gateway
