// Events at once, status and timing at fixed intervals.
#include "services/io/event_publisher.hpp"

#include "rt/loop/loop_settings.hpp"
#include "rt/timing/clock.hpp"
#include "services/wire/status_codec.hpp"

namespace kinloop::io {
namespace {

constexpr std::int64_t kLongestSilence_ns = 3'000'000'000;  // of the plant's loop, whose longest period is 1 s
constexpr std::int64_t kBetweenStatus_ns = 250'000'000;
constexpr std::int64_t kBetweenTiming_ns = 1'000'000'000;

}  // namespace

void EventPublisher::look_at_plant() {
  if (const auto taken = memory_.io_status.take(); taken.value != nullptr) plant_ = *taken.value;
}

void EventPublisher::tell(std::string_view kind, std::uint64_t step, std::int64_t value, const std::string& text) {
  v1::Event event;
  event.set_time_ns(rt::MonotonicClock().now_ns());
  event.set_step(step != 0 ? step : plant_.step);
  event.set_kind(std::string(kind));
  event.set_value(value);
  event.set_text(text);
  send(event);
}

void EventPublisher::supervisor_died() {
  is_forsaken_ = true;
  tell("supervisor_died", 0, 0,
       "the supervisor is gone: plant and io end, sensors show what the rig declares for this");
}

void EventPublisher::endpoint_is_down(const std::string& address) {
  if (endpoints_down_.insert(address).second) tell("endpoint_down", 0, 0, address + " is taken by somebody else");
}

void EventPublisher::endpoint_is_up(const std::string& address) {
  if (endpoints_down_.erase(address) > 0) tell("endpoint_up", 0, 0, address + " is served again");
}

void EventPublisher::send(v1::Event& event) {
  event.set_sequence(++sequence_);
  send("event", event);
  recorder_.add_event(event);
}

void EventPublisher::send(const char* topic, const google::protobuf::MessageLite& message) {
  if (socket_ == nullptr) return;
  const std::size_t size = message.ByteSizeLong();
  buffer_.resize(size);
  message.SerializeToArray(buffer_.data(), static_cast<int>(size));
  socket_->send(zmq::buffer(std::string_view(topic)), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
  socket_->send(zmq::buffer(buffer_), zmq::send_flags::dontwait);
}

void EventPublisher::take_events() {
  rt::Event event;
  for (std::size_t left = memory_.io_events.size(); left > 0 && memory_.io_events.take(event); --left) {
    v1::Event message;
    message.set_time_ns(event.time_ns);
    message.set_step(event.step);
    message.set_kind(std::string(rt::name_of(event.kind)));
    message.set_value(event.value);
    send(message);
    if (event.kind != rt::EventKind::kEnded) continue;
    has_ended_ = true;
    if (event.value == static_cast<std::int64_t>(rt::LoopEnd::kSignalled)) is_forsaken_ = true;
  }
}

void EventPublisher::publish(std::int64_t now_ns, std::int64_t refused) {
  look_at_plant();
  take_events();
  if (memory_.given_up.load(std::memory_order_acquire) != 0 && !std::exchange(told_death_, true)) {
    tell("plant_died", 0, 0, "the plant is gone: sensors show what the rig declares for this");
    next_status_ns_ = now_ns;
  }
  if (now_ns >= next_status_ns_) {
    next_status_ns_ = now_ns + kBetweenStatus_ns;
    publish_status(refused);
  }
  if (now_ns >= next_timing_ns_) {
    next_timing_ns_ = now_ns + kBetweenTiming_ns;
    send("timing", timing());
  }
}

void EventPublisher::publish_status(std::int64_t refused) { send("status", status(refused)); }

v1::PlantState EventPublisher::plant_state() const {
  if (memory_.given_up.load(std::memory_order_acquire) != 0 || is_forsaken_) return v1::PLANT_STATE_DEAD;
  if (has_ended_) return v1::PLANT_STATE_ENDED;
  if (memory_.heartbeat.running.load(std::memory_order_acquire) == 0) return v1::PLANT_STATE_STARTING;
  const std::int64_t beat_ns = memory_.heartbeat.beat_ns.load(std::memory_order_relaxed);
  const std::int64_t silent_ns = rt::MonotonicClock().now_ns() - beat_ns;
  if (beat_ns != 0 && silent_ns > kLongestSilence_ns) return v1::PLANT_STATE_DEAD;  // whatever it said last
  return plant_.paused ? v1::PLANT_STATE_PAUSED : v1::PLANT_STATE_RUNNING;
}

v1::Status EventPublisher::status(std::int64_t refused) {
  look_at_plant();
  v1::Status status;
  wire::to_wire(plant_, rig_.spec.plant, status);
  status.set_state(plant_state());
  status.set_messages_refused(refused);
  for (const std::string& address : endpoints_down_) status.add_endpoints_down(address);
  status.set_frames_published(static_cast<std::int64_t>(frames()));
  const RecordReport record = recorder_.report();
  status.set_recording(record.file);
  status.set_record_dropped(record.dropped);
  status.set_record_trouble(record.trouble);
  const std::int64_t now_ns = rt::MonotonicClock().now_ns();
  for (const Lease& lease : commands_.leases()) {
    v1::Lease& out = *status.add_leases();
    for (const std::size_t i : lease.actuators) out.add_actuators(rig_.spec.plant.actuators[i].name);
    out.set_holder(lease.holder);
    out.set_time_left_s(static_cast<double>(lease.until_ns - now_ns) * 1e-9);
  }
  return status;
}

v1::Timing EventPublisher::timing() {
  look_at_plant();
  const bool by_clock = rig_.spec.mode == rt::Mode::kRealTime;
  v1::Timing out;
  wire::to_wire(timing::summarize(memory_.timing, plant_, by_clock ? period_ns(rig_.spec) : 0), out);
  return out;
}

}  // namespace kinloop::io
