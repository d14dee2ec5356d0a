// The plant's messages in, pages' messages out.
#include "services/gateway/hub.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "core/base/nearest_name.hpp"
#include "rt/timing/clock.hpp"
#include "services/base/diagnostics.hpp"
#include "services/gateway/scene.hpp"
#include "services/wire/frame_topic.hpp"

namespace kinloop::gateway {
namespace {

constexpr double kMaxSamples_hz = 250.0;
constexpr std::size_t kKeptSamples = 1000;
constexpr std::size_t kKeptEvents = 200;
constexpr std::uint64_t kMaxSamplesOfAView = 128;
constexpr std::size_t kMaxPages = 64;
constexpr std::size_t kReservedPages = 16;  // for those who command

/// Who asks, for the plant: nobody else is to guess it.
std::uint64_t random_number() {
  std::random_device device;
  return std::uint64_t{device()} << 32U | device();
}

template <class Message>
bool parse(const zmq::message_t& part, Message& message) {
  return message.ParseFromArray(part.data(), static_cast<int>(part.size()));
}

std::uint32_t frames_between_samples(const v1::Description& description) {
  return static_cast<std::uint32_t>(std::clamp(std::ceil(description.frame_rate_hz() / kMaxSamples_hz), 1.0, 1e6));
}

}  // namespace

Hub::Hub(boost::asio::io_context& context, zmq::context_t& sockets, Access access, v1::Description description,
         LoadedRig rig, std::filesystem::path directory, log::Logger log)
    : context_(context),
      sockets_(sockets),
      access_(std::move(access)),
      description_(std::move(description)),
      endpoints_(local_endpoints(description_)),
      directory_(std::move(directory)),
      log_(log),
      drawn_(std::make_unique<Drawn>(std::move(rig))),
      scene_(make_scene(drawn_->rig)),
      store_(directory_ / "snapshots"),
      session_parts_{context, sockets, endpoints_, store_, [this] { tell_snapshots(); }},
      control_client_(context, sockets, endpoints_.control, random_number()),
      sensors_(connect_subscriber(sockets, endpoints_.sensors)),
      events_(connect_subscriber(sockets, endpoints_.events)) {
  sensors_.set(zmq::sockopt::subscribe, wire::frame_topic(frames_between_samples(description_)));
  sensors_.set(zmq::sockopt::subscribe, "motion");
  events_.set(zmq::sockopt::subscribe, "");
  sensor_watch_.emplace(context, sensors_,
                        [this](zmq::message_t& part, bool has_more) { take_sensors(part, has_more); });
  event_watch_.emplace(context, events_,
                       [this](zmq::message_t& part, bool has_more) { take_event_part(part, has_more); });
  redraw();  // parameters may have been set before this gateway
}

WebHandler::Entry Hub::enter(const WebRequest& request, std::shared_ptr<WebPeer> peer) {
  if (!access_.permits_origin(request)) {
    tell_refusal(request, "it is not of this site");
    return {nullptr, close_code::kForbidden};
  }
  const auto caller = access_.caller_of(request);
  if (!caller) {
    tell_unknown_token(request);
    return {nullptr, close_code::kNoToken};
  }
  forget_gone();
  const std::size_t most = caller->role == security::Role::kObserver ? kMaxPages - kReservedPages : kMaxPages;
  if (sessions_.size() >= most) {
    tell_refusal(request, "there are " + std::to_string(sessions_.size()) + " pages already");
    return {nullptr, close_code::kTooMany};
  }
  auto session = std::make_shared<PanelSession>(session_parts_, std::move(peer), *caller, random_number());
  session->next_sample = first_sample_ + samples_.size();
  sessions_.push_back(session);
  log_.debug("a page was opened by " + in_quotes(caller->name) + ", " + std::string(security::name_of(caller->role)));
  session->send(scene_for(*session));
  v1::PageMessage message;
  *message.mutable_snapshots() = store_.list();
  session->send(message);
  *message.mutable_status() = present_status();
  if (status_ns_ != 0) session->send(message);
  *message.mutable_timing() = timing_;
  if (status_ns_ != 0) session->send(message);
  for (const v1::Event& event : last_events_) {
    *message.mutable_event() = event;
    session->send(message);
  }
  return {session, 0};
}

v1::PageMessage Hub::scene_for(const PanelSession& session) const {
  v1::PageMessage message;
  *message.mutable_scene() = scene_;
  *message.mutable_scene()->mutable_description() = description_;
  message.mutable_scene()->set_role(std::string(security::name_of(session.caller().role)));
  return message;
}

void Hub::forget_gone() {
  const auto gone =
      std::erase_if(sessions_, [](const std::shared_ptr<PanelSession>& session) { return session->is_gone(); });
  if (gone > 0)
    log_.debug(std::to_string(gone) + " pages were closed, " + std::to_string(sessions_.size()) + " are open");
}

void Hub::tell_refusal(const WebRequest& request, const std::string& why, log::Level level) const {
  const std::string& who = request.origin.empty() ? request.host : request.origin;
  log_.write(level, "a request of " + in_quotes(who) + " for " + in_quotes(request.path) + " was turned away: " + why);
}

/// Who shows none is about to be asked for it: that is how every visit begins.
void Hub::tell_unknown_token(const WebRequest& request) const {
  tell_refusal(request, "its token is not known", request.token.empty() ? log::Level::kDebug : log::Level::kWarning);
}

void Hub::tell_all(const v1::PageMessage& message) {
  forget_gone();
  const auto bytes = std::make_shared<const std::string>(message.SerializeAsString());
  for (const auto& session : sessions_) session->send(bytes, WebPeer::Kind::kWord);
}

void Hub::tell_snapshots() {
  v1::PageMessage message;
  *message.mutable_snapshots() = store_.list();
  tell_all(message);
}

void Hub::take_sensors(zmq::message_t& part, bool has_more) {
  if (has_more) {
    topic_ = part.to_string();
    return;
  }
  if (topic_ == "motion") {
    take_motion(part);
  } else {
    take_frame(part);
  }
}

void Hub::take_frame(const zmq::message_t& part) {
  if (!parse(part, frame_)) return;
  v1::Sample sample;
  sample.set_step(frame_.step());
  sample.set_time_s(frame_.time_s());
  sample.set_flags(frame_.flags());
  *sample.mutable_values() = frame_.value();
  sample.set_quality(frame_.quality());
  samples_.push_back(std::move(sample));
  if (samples_.size() <= kKeptSamples) return;
  samples_.pop_front();
  ++first_sample_;
}

void Hub::take_motion(const zmq::message_t& part) {
  if (!parse(part, motion_)) return;
  view_.Clear();
  if (drawn_->views.make(motion_, view_)) send_views();
}

/// Pages that want the same get the same bytes.
void Hub::send_views() {
  const std::int64_t now_ns = rt::MonotonicClock().now_ns();
  const std::uint64_t end = first_sample_ + samples_.size();
  std::map<std::pair<std::uint64_t, bool>, std::shared_ptr<const std::string>> pictures;
  for (const auto& session : sessions_) {
    if (!session->wants_view(now_ns)) continue;
    const std::uint64_t oldest = end - std::min(end - first_sample_, kMaxSamplesOfAView);
    const std::uint64_t first = std::max(session->next_sample, oldest);
    session->next_sample = end;
    auto& bytes = pictures[{first, session->wants_forces()}];
    if (!bytes) bytes = picture(first, session->wants_forces());
    session->send(bytes, WebPeer::Kind::kPicture);
  }
}

std::shared_ptr<const std::string> Hub::picture(std::uint64_t first_sample, bool with_forces) {
  v1::PageMessage message;
  v1::View& view = *message.mutable_view();
  view = view_;
  for (std::uint64_t i = first_sample - first_sample_; i < samples_.size(); ++i) *view.add_samples() = samples_[i];
  if (with_forces) drawn_->views.add_arrows(motion_, view);
  return std::make_shared<const std::string>(message.SerializeAsString());
}

void Hub::take_event_part(zmq::message_t& part, bool has_more) {
  if (has_more) {
    event_topic_ = part.to_string();
    return;
  }
  v1::PageMessage message;
  if (event_topic_ == "event") {
    if (parse(part, *message.mutable_event())) take_event(message);
  } else if (event_topic_ == "status") {
    if (!parse(part, *message.mutable_status())) return;
    status_ = message.status();
    status_ns_ = rt::MonotonicClock().now_ns();
    tell_all(message);
  } else if (event_topic_ == "timing") {
    if (!parse(part, *message.mutable_timing())) return;
    timing_ = message.timing();
    tell_all(message);
  }
}

void Hub::take_event(v1::PageMessage& message) {
  last_events_.push_back(message.event());
  if (last_events_.size() > kKeptEvents) last_events_.pop_front();
  tell_all(message);
  const std::string& kind = message.event().kind();
  if (kind == "parameters" || kind == "restored") redraw();
}

/// With the parameters in force, which may alter shapes and lengths.
void Hub::redraw() {
  v1::ControlRequest request;
  request.mutable_describe();
  control_client_.ask(std::move(request), [this](const v1::ControlReply& reply) {
    if (!reply.has_description()) return;
    std::vector<ParameterSetting> parameters;
    bool has_changed = reply.description().parameters_size() != description_.parameters_size();
    for (int i = 0; i < reply.description().parameters_size(); ++i) {
      const v1::Parameter& parameter = reply.description().parameters(i);
      parameters.push_back({parameter.name(), parameter.value()});
      has_changed = has_changed || parameter.value() != description_.parameters(i).value();
    }
    if (!has_changed) return;
    auto rig = load_rig(directory_ / "rig.yaml", parameters);
    if (!rig) {
      log_.warning("the page shows former parameters: " + to_line(rig.error().front()));
      return;
    }
    description_ = reply.description();
    drawn_ = std::make_unique<Drawn>(std::move(rig).value());
    scene_ = make_scene(drawn_->rig);
    forget_gone();
    for (const auto& session : sessions_) session->send(scene_for(*session));
  });
}

}  // namespace kinloop::gateway
