// The lines of a plant, each connected when it is first needed, and the lease that frames go under.
#include "src/plant_parts.hpp"

#include <kinloop/client/discovery.hpp>

namespace kinloop::client {
namespace {

constexpr const char* kAllFrames = "sensors/1/";

std::string_view transport_of(std::string_view address) { return address.substr(0, address.find("://")); }

}  // namespace

Result<Plant::Parts::Place> Plant::Parts::place_of(std::string_view socket) const {
  const v1::Endpoint* found = nullptr;
  for (const v1::Endpoint& endpoint : description.endpoints()) {
    if (endpoint.socket() != socket) continue;
    // A plant may be reached in several ways: the one that already worked goes first.
    const bool same_way = transport_of(endpoint.address()) == transport_of(control.address());
    if (found == nullptr || (same_way && transport_of(found->address()) != transport_of(control.address()))) {
      found = &endpoint;
    }
  }
  if (found == nullptr) {
    return Error{ErrorKind::kBadReply, "the plant does not say where its socket '" + std::string(socket) + "' is"};
  }
  Place place{reachable_address(found->address(), control.address()), {}};
  if (!found->server_key().empty()) {
    Keys keys = options.keys;
    keys.server_key = found->server_key();
    Result<Keys> checked = checked_keys(std::move(keys));
    if (!checked) return checked.error();
    place.keys = std::move(*checked);
  }
  return place;
}

Result<ActuatorChannel*> Plant::Parts::actuator_channel() {
  if (!actuators) {
    const Result<Place> place = place_of("actuators");
    if (!place) return place.error();
    Result<ActuatorChannel> channel = ActuatorChannel::open(*context, place->address, place->keys);
    if (!channel) return channel.error();
    actuators.emplace(std::move(*channel));
    actuators->set_shape(shape());
  }
  return &*actuators;
}

Result<SensorChannel*> Plant::Parts::sensor_channel() {
  if (!sensors) {
    const Result<Place> place = place_of("sensors");
    if (!place) return place.error();
    Result<SensorChannel> channel =
        SensorChannel::open(*context, place->address, place->keys, options.max_waiting_frames);
    if (!channel) return channel.error();
    sensors.emplace(std::move(*channel));
    sensors->set_shape(shape());
    if (topic.empty()) topic = kAllFrames;
    sensors->subscribe(topic);
  }
  return &*sensors;
}

Result<EventChannel*> Plant::Parts::event_channel() {
  if (!events) {
    const Result<Place> place = place_of("events");
    if (!place) return place.error();
    Result<EventChannel> channel = EventChannel::open(*context, place->address, place->keys);
    if (!channel) return channel.error();
    events.emplace(std::move(*channel));
  }
  return &*events;
}

/// Over TCP where it is told, else at its usual port.
std::optional<StopPlace> Plant::Parts::stop_place(StopSocketOf whose) const {
  std::optional<std::string> usual = stop_address_beside(control.address(), whose);
  if (!usual) return std::nullopt;
  if (!usual->starts_with("tcp://")) return StopPlace{std::move(*usual), {}};
  Result<Place> told = place_of(whose == StopSocketOf::kIo ? "stop_io" : "stop");
  if (told && told->address.starts_with("tcp://")) return StopPlace{std::move(told->address), std::move(told->keys)};
  return StopPlace{std::move(*usual), options.keys};
}

StopChannel* Plant::Parts::stop_channel() {
  if (stop) return &*stop;
  std::vector<StopPlace> places;
  for (const StopSocketOf whose : {StopSocketOf::kSupervisor, StopSocketOf::kIo}) {
    if (auto place = stop_place(whose)) places.push_back(std::move(*place));
  }
  if (places.empty()) return nullptr;
  Result<StopChannel> channel = StopChannel::open(*context, places);
  if (!channel) return nullptr;
  stop.emplace(std::move(*channel));
  return &*stop;
}

Result<Lease> Plant::Parts::acquire(const std::vector<std::string>& names, double time_s) {
  const Result<ActuatorChannel*> channel = actuator_channel();
  if (!channel) return channel.error();
  v1::ControlRequest request;
  v1::AcquireRequest& wanted = *request.mutable_acquire();
  for (const std::string& name : names) wanted.add_actuators(name);
  wanted.set_time_s(time_s);
  wanted.set_holder(options.holder);
  const Result<v1::ControlReply> reply = control.ask(request, options.timeout, Asking::kAgain);
  if (!reply) return reply.error();
  if (!reply->has_acquired()) return Error{ErrorKind::kBadReply, "the plant answered an acquire without a lease"};
  const v1::AcquireReply& acquired = reply->acquired();
  lease = {acquired.lease(), {acquired.actuators().begin(), acquired.actuators().end()}, acquired.time_s()};
  (*channel)->begin_lease(lease.id);
  if (!(*channel)->wait_for_connection(Clock::now() + options.timeout)) {
    return Error{ErrorKind::kNoAnswer, "the plant gave a lease, but its socket 'actuators' cannot be reached"};
  }
  open_lane();
  return lease;
}

std::string Plant::Parts::lane_address() const {
  return options.transport == Transport::kSockets ? std::string() : reachable_lane(description);
}

/// In place of the one before it. Frames that are under way to the socket are passed over.
void Plant::Parts::open_lane() {
  lane.reset();
  const std::string address = lane_address();
  if (address.empty()) return;
  lane = LaneChannel::open(address, {lease.id, shape()}, Clock::now() + options.timeout);
  if (lane == nullptr || topic.empty()) return;
  sensors.reset();
  lane->set_every(every_of(topic));
  lane->subscribe();
}

LaneChannel* Plant::Parts::live_lane() noexcept {
  if (lane != nullptr && lane->has_ended()) lane.reset();
  return lane.get();
}

const FrameAnswer* Plant::Parts::newest_answer() {
  const FrameAnswer* of_lane = lane != nullptr ? lane->newest_answer(counters) : nullptr;
  return of_lane != nullptr ? of_lane : actuators->newest_answer(counters);
}

const FrameAnswer* Plant::Parts::await(std::uint64_t sequence, bool& is_lost) {
  const Clock::time_point until = Clock::now() + options.timeout;
  is_lost = false;
  if (lane == nullptr) return actuators->await(sequence, until, counters);
  if (const FrameAnswer* answer = lane->await(sequence, until, counters)) return answer;
  is_lost = lane->is_over() && !lane->has_taken_all();
  return nullptr;
}

const v1::SensorFrame* Plant::Parts::receive(Clock::time_point until, Which which) {
  if (topic.empty()) topic = kAllFrames;
  if (lane != nullptr) {
    const v1::SensorFrame* const frame = lane->receive(until, which, counters);
    if (frame != nullptr || live_lane() != nullptr) return frame;
  }
  const Result<SensorChannel*> channel = sensor_channel();
  return channel ? (*channel)->receive(until, which, counters) : nullptr;
}

Result<bool> Plant::Parts::subscribe(const std::string& its_topic) {
  topic = its_topic;
  if (LaneChannel* const shared = live_lane()) {
    shared->set_every(every_of(topic));
    shared->subscribe();
    return true;
  }
  const Result<SensorChannel*> channel = sensor_channel();
  if (!channel) return channel.error();
  (*channel)->subscribe(topic);
  return true;
}

Result<Lease> Plant::Parts::acquire_again() {
  ++counters.leases_lost;
  return acquire(std::vector<std::string>(lease.actuators), lease.time_s);
}

Result<std::uint64_t> Plant::Parts::post(std::span<const double> values, std::uint64_t rearm) {
  if (lane != nullptr) {
    const std::uint64_t number = actuators->next_sequence();
    const bool sent = lane->send(number, values, rearm);
    if (sent) ++counters.frames_sent;
    if (sent) return number;
    if (live_lane() != nullptr) {
      ++counters.frames_unsent;
      return Error{ErrorKind::kNoAnswer, "the frame was not sent: the plant does not take those that were sent before"};
    }
  }
  const std::optional<std::uint64_t> sequence = actuators->send(values, rearm);
  ++(sequence ? counters.frames_sent : counters.frames_unsent);
  if (sequence) return *sequence;
  return Error{ErrorKind::kNoAnswer, "the frame was not sent: there is no connection to the plant's actuators now"};
}

Result<std::uint64_t> Plant::Parts::post_patiently(std::span<const double> values, std::uint64_t rearm) {
  Result<std::uint64_t> sequence = post(values, rearm);
  if (sequence || !actuators->wait_for_connection(Clock::now() + options.timeout)) return sequence;
  return post(values, rearm);
}

}  // namespace kinloop::client
