// Passes on what the page asks for, as far as its role goes, and what the plant answers.
#include "services/gateway/panel_session.hpp"

#include <algorithm>

#include "services/security/roles.hpp"
#include "services/wire/wire_error.hpp"

namespace kinloop::gateway {
namespace {

constexpr double kMaxViews_hz = 60.0;
constexpr std::size_t kMaxWishes = 16;

}  // namespace

PanelSession::PanelSession(const PanelSessionParts& parts, std::shared_ptr<WebPeer> peer, security::Caller caller,
                           std::uint64_t client)
    : parts_(parts),
      peer_(std::move(peer)),
      caller_(std::move(caller)),
      client_(client),
      control_(connect_dealer(parts.sockets, parts.endpoints.control)),
      actuators_(connect_dealer(parts.sockets, parts.endpoints.actuators)) {
  control_watch_.emplace(parts.context, control_,
                         [this](zmq::message_t& part, bool has_more) { take_reply(part, has_more); });
  actuator_watch_.emplace(parts.context, actuators_,
                          [this](zmq::message_t& part, bool has_more) { take_refusal(part, has_more); });
}

void PanelSession::send(const v1::PageMessage& message) {
  peer_->send(std::make_shared<const std::string>(message.SerializeAsString()), WebPeer::Kind::kWord);
}

bool PanelSession::wants_view(std::int64_t now_ns) {
  if (is_gone_ || wishes_.hidden() || now_ns < next_view_ns_) return false;
  const double asked_hz = wishes_.rate_hz() > 0.0 ? std::min(wishes_.rate_hz(), kMaxViews_hz) : kMaxViews_hz;
  // At the full rate the plant's own grid decides, which is about that.
  next_view_ns_ = asked_hz >= kMaxViews_hz ? 0 : now_ns + static_cast<std::int64_t>(1e9 / std::max(asked_hz, 0.1));
  return true;
}

void PanelSession::take(std::string_view bytes) {
  v1::PageRequest request;
  if (!request.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return refuse(0, v1::ERROR_CODE_MALFORMED, "the message is no PageRequest");
  }
  switch (request.what_case()) {
    case v1::PageRequest::kControl:
      return take(std::move(*request.mutable_control()));
    case v1::PageRequest::kFrame:
      return take(request.frame());
    case v1::PageRequest::kWishes:
      return take(request.wishes());
    case v1::PageRequest::kSnapshot:
      return take(request.snapshot());
    case v1::PageRequest::WHAT_NOT_SET:
      return refuse(0, v1::ERROR_CODE_MALFORMED, "the message asks for nothing");
  }
}

void PanelSession::take(v1::ControlRequest request) {
  if (!security::permits(caller_.role, request.verb_case())) {
    return refuse(request.request_id(), v1::ERROR_CODE_FORBIDDEN, "the role of this page does not permit that");
  }
  if (request.request_id() > std::uint64_t{1} << 63U) {
    return refuse(request.request_id(), v1::ERROR_CODE_INVALID, "request_id is at most 2^63");
  }
  if (request.has_acquire() && !caller_.name.empty()) request.mutable_acquire()->set_holder(caller_.name);
  if (request.has_release()) leases_.erase(request.release().lease());
  ask(std::move(request));
}

void PanelSession::ask(v1::ControlRequest request) {
  request.set_version(1);
  request.set_client(client_);
  if (!gateway::send(control_, request)) {
    refuse(request.request_id(), v1::ERROR_CODE_BUSY, "the plant's sockets do not answer");
  }
  control_watch_->look();
}

void PanelSession::take(const v1::ActuatorFrame& frame) {
  if (!security::permits_commands(caller_.role) || !leases_.contains(frame.lease())) {
    v1::PageMessage message;
    message.mutable_refusal()->set_sequence(frame.sequence());
    *message.mutable_refusal()->mutable_error() =
        wire::wire_error(v1::ERROR_CODE_NO_LEASE, "this page holds no such lease: acquire one");
    return send(message);
  }
  gateway::send(actuators_, frame);
  actuator_watch_->look();
}

/// A page that nobody can see drives nothing.
void PanelSession::take(const v1::Wishes& wishes) {
  wishes_ = wishes;
  if (wishes.hidden()) give_back();
}

void PanelSession::take(const v1::SnapshotWish& wish) {
  using Wish = v1::SnapshotWish;
  // The store is one for all pages: who may keep and forget there is who may go back to what is kept.
  if (!security::permits(caller_.role, v1::ControlRequest::kRestore)) {
    return refuse(wish.request_id(), v1::ERROR_CODE_FORBIDDEN, "the role of this page does not permit that");
  }
  if (!SnapshotStore::is_name(wish.name())) {
    return refuse(wish.request_id(), v1::ERROR_CODE_INVALID, "a name has 1 to 64 characters");
  }
  if (waiting_.size() >= kMaxWishes) return refuse(wish.request_id(), v1::ERROR_CODE_BUSY, "one after the other");
  v1::ControlRequest request;
  request.set_request_id(last_own_id_ + 1);
  if (wish.action() == Wish::ACTION_SAVE) {
    request.mutable_snapshot();
  } else {
    const v1::Snapshot* snapshot = parts_.store.find(wish.name());
    if (snapshot == nullptr) {
      return refuse(wish.request_id(), v1::ERROR_CODE_UNKNOWN_NAME, "there is no snapshot of that name");
    }
    if (wish.action() == Wish::ACTION_FORGET) {
      parts_.store.forget(wish.name());
      v1::ControlReply done;
      done.mutable_done();
      finish(wish, done);
      return parts_.store_changed();
    }
    *request.mutable_restore()->mutable_snapshot() = *snapshot;
  }
  waiting_[++last_own_id_] = wish;
  ask(std::move(request));
}

void PanelSession::take_reply(zmq::message_t& part, bool has_more) {
  v1::PageMessage message;
  v1::ControlReply& reply = *message.mutable_reply();
  if (has_more || is_gone_ || !reply.ParseFromArray(part.data(), static_cast<int>(part.size()))) return;
  if (reply.has_acquired()) leases_.insert(reply.acquired().lease());
  const auto waiting = waiting_.find(reply.request_id());
  if (waiting == waiting_.end()) return send(message);
  const v1::SnapshotWish wish = waiting->second;
  waiting_.erase(waiting);
  finish(wish, reply);
}

void PanelSession::finish(const v1::SnapshotWish& wish, v1::ControlReply reply) {
  if (wish.action() == v1::SnapshotWish::ACTION_SAVE && reply.has_snapshot()) {
    if (const auto error = parts_.store.put(wish.name(), reply.snapshot())) {
      return refuse(wish.request_id(), v1::ERROR_CODE_INTERNAL, error->what);
    }
    reply.mutable_done();  // the page knows it by its name
    parts_.store_changed();
  }
  v1::PageMessage message;
  *message.mutable_reply() = std::move(reply);
  message.mutable_reply()->set_request_id(wish.request_id());
  send(message);
}

void PanelSession::take_refusal(zmq::message_t& part, bool has_more) {
  v1::PageMessage message;
  v1::ActuatorReply& reply = *message.mutable_refusal();
  if (has_more || is_gone_ || !reply.ParseFromArray(part.data(), static_cast<int>(part.size()))) return;
  if (reply.has_error()) send(message);
}

void PanelSession::refuse(std::uint64_t request_id, v1::ErrorCode code, std::string text) {
  v1::PageMessage message;
  message.mutable_reply()->set_request_id(request_id);
  *message.mutable_reply()->mutable_error() = wire::wire_error(code, std::move(text));
  send(message);
}

void PanelSession::give_back() {
  for (const std::uint64_t lease : leases_) {
    v1::ControlRequest request;
    request.set_request_id(++last_own_id_);
    request.mutable_release()->set_lease(lease);
    ask(std::move(request));
  }
  leases_.clear();
}

void PanelSession::leave() {
  give_back();
  is_gone_ = true;
}

}  // namespace kinloop::gateway
