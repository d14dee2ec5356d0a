// Owns Hub: what the gateway knows of its plant, and all pages that look at it. By the gateway's thread alone.
#pragma once

#include <kinloop/v1/control.pb.h>
#include <kinloop/v1/panel.pb.h>

#include <deque>
#include <memory>
#include <vector>

#include "services/gateway/access.hpp"
#include "services/gateway/async_control_client.hpp"
#include "services/gateway/panel_session.hpp"
#include "services/gateway/view_maker.hpp"
#include "services/log/log.hpp"

namespace kinloop::gateway {

class Hub final : public WebHandler {
 public:
  /// All must outlive it.
  Hub(boost::asio::io_context& context, zmq::context_t& sockets, Access access, v1::Description description,
      LoadedRig rig, std::filesystem::path directory, log::Logger log);

  void answer(const WebRequest& request, std::function<void(WebReply)> reply) override;
  Entry enter(const WebRequest& request, std::shared_ptr<WebPeer> peer) override;
  std::string also_connects_to() const override;

  /// Several times a second: tells pages where the plant has fallen silent.
  void look();

 private:
  /// A mechanism to draw, with what is made from it.
  struct Drawn {
    explicit Drawn(LoadedRig loaded) : rig(std::move(loaded)), views(rig) {}
    LoadedRig rig;
    ViewMaker views;
  };

  void take_sensors(zmq::message_t& part, bool has_more);
  void take_frame(const zmq::message_t& part);
  void take_motion(const zmq::message_t& part);
  void send_views();
  std::shared_ptr<const std::string> picture(std::uint64_t first_sample, bool with_forces);
  void take_event_part(zmq::message_t& part, bool has_more);
  void take_event(v1::PageMessage& message);
  void redraw();
  void tell_all(const v1::PageMessage& message);
  void tell_snapshots();
  v1::PageMessage scene_for(const PanelSession& session) const;
  void forget_gone();
  void tell_refusal(const WebRequest& request, const std::string& why, log::Level level = log::Level::kWarning) const;
  void tell_unknown_token(const WebRequest& request) const;

  // hub_http.cpp
  WebReply read_only(const WebRequest& request);
  void control(const WebRequest& request, const security::Caller& caller, std::function<void(WebReply)> reply);
  WebReply health() const;
  std::string newest_sample() const;
  bool is_fresh() const;
  v1::Status present_status() const;

  boost::asio::io_context& context_;
  zmq::context_t& sockets_;
  Access access_;
  v1::Description description_;
  PlantEndpoints endpoints_;
  std::filesystem::path directory_;
  log::Logger log_;
  std::unique_ptr<Drawn> drawn_;
  v1::Scene scene_;
  SnapshotStore store_;
  PanelSessionParts session_parts_;
  std::vector<std::shared_ptr<PanelSession>> sessions_;
  AsyncControlClient control_client_;
  zmq::socket_t sensors_, events_;
  std::string topic_;  // of the message that is being taken; empty: its topic comes next
  v1::Motion motion_;
  v1::View view_;  // of the newest motion, without samples and arrows
  v1::SensorFrame frame_;
  std::deque<v1::Sample> samples_;
  std::uint64_t first_sample_ = 0;  // the number of the first one that is kept
  v1::Status status_;
  v1::Timing timing_;
  std::int64_t status_ns_ = 0;  // when it came
  bool told_silence_ = false;
  std::optional<SocketWatch> sensor_watch_, event_watch_;
  std::string event_topic_;
  std::deque<v1::Event> last_events_;  // oldest first: pages that come late learn of a stop from them
};

}  // namespace kinloop::gateway
