// Start reading at Io::run().
#include "services/io/io.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "rt/clock.hpp"
#include "services/cli/version.hpp"
#include "services/files/text_file.hpp"
#include "services/host/host_name.hpp"
#include "services/io/adapter.hpp"
#include "services/io/control_desk.hpp"
#include "services/io/description.hpp"
#include "services/io/endpoints_file.hpp"
#include "services/io/frame_publisher.hpp"
#include "services/io/lockstep_answers.hpp"
#include "services/io/rate_limit.hpp"
#include "services/io/router.hpp"
#include "services/io/status_codec.hpp"
#include "services/io/wire_error.hpp"
#include "services/run/plant_run.hpp"

namespace kinloop::io {
namespace {

constexpr int kMostFramesAtOnce = 256;   // of commands, before other work is looked at
constexpr int kMostRequestsAtOnce = 32;  // of control
constexpr std::chrono::milliseconds kNap{20};
constexpr std::chrono::milliseconds kShortNap{1};  // while an answer of the plant is due
constexpr std::int64_t kLongestFrameNap_ns = 20'000'000;
constexpr std::int64_t kBetweenHousekeeping_ns = 5'000'000;
constexpr std::int64_t kBetweenStatus_ns = 250'000'000;
constexpr std::int64_t kBetweenTiming_ns = 1'000'000'000;
constexpr std::int64_t kAnswerPatience_ns = 3'000'000;  // in which other clients wait for a step of lockstep
constexpr std::chrono::milliseconds kLinger{200};
constexpr std::size_t kMostAttachment = std::size_t{64} << 20U;

std::int64_t now_ns() { return rt::MonotonicClock().now_ns(); }

class Io {
 public:
  Io(const LoadedRig& rig, const IoOptions& options, rt::PlantMemory& memory)
      : rig_(rig), options_(options), memory_(memory) {}

  std::vector<Error> open(const std::function<void(const std::string&)>& warn);
  void run(const std::atomic<bool>& stop);

 private:
  bool is_lockstep() const noexcept { return rig_.spec.mode == rt::Mode::kLockstep; }
  bool adapters_wait() const noexcept {  // for a frame, in lockstep
    return std::any_of(adapters_.begin(), adapters_.end(), [](const auto& adapter) { return adapter->is_waiting(); });
  }
  ControlParts control_parts();
  RecordHead record_head() const;

  void wait_for_work();
  void take_commands(std::int64_t now);
  void take_command(std::int64_t now);
  void take_control(std::int64_t now);
  void publish_frames(std::int64_t now);
  template <class Done>
  void publish_until(std::int64_t now, Done done);
  void keep_house(std::int64_t now);
  void tell_of_adapters();
  void publish_events();
  void publish(const char* topic, const google::protobuf::MessageLite& message);
  void tell(std::string_view kind, std::uint64_t step, std::int64_t value, const std::string& text);
  v1::Status status();
  v1::Timing timing() const;
  v1::PlantState plant_state() const;
  void frame_loop();
  void end();

  const LoadedRig& rig_;
  const IoOptions& options_;
  rt::PlantMemory& memory_;

  v1::Description description_;
  std::unique_ptr<Sockets> sockets_;
  std::optional<Tuning> tuning_;
  std::optional<CommandDesk> commands_;
  PlantLine plant_{memory_};
  MainQueue main_;
  Capture capture_;
  std::optional<Recorder> recorder_;
  std::optional<JobThread> jobs_;
  std::optional<ControlDesk> control_;
  std::optional<Router> control_router_, actuator_router_;
  std::optional<FramePublisher> publisher_;
  std::optional<FrameEncoder> answers_encoder_;
  std::optional<LockstepAnswers> answers_;
  std::vector<std::unique_ptr<Adapter>> adapters_;
  std::vector<std::string> told_of_adapters_;
  std::optional<RateLimit> frame_limit_, control_limit_;
  std::atomic<std::uint64_t> published_{0};
  std::int64_t over_limit_ = 0, malformed_ = 0, forbidden_ = 0;
  rt::SensorFrame frame_;
  v1::ActuatorFrame command_;
  std::vector<char> buffer_;
  std::uint64_t event_sequence_ = 0;
  std::int64_t next_housekeeping_ns_ = 0, next_status_ns_ = 0, next_timing_ns_ = 0;
  rt::LoopStatus loop_status_;
  bool has_ended_ = false, told_death_ = false;
  std::atomic<bool> stops_{false};
  std::thread frame_thread_;
};

std::vector<Error> Io::open(const std::function<void(const std::string&)>& warn) {
  description_ = describe(rig_, memory_.state_size);
  if (!options_.listen.addresses.empty()) {
    auto sockets = open_sockets(options_.listen, read_endpoints(options_.folder), warn);
    if (!sockets) return sockets.error();
    sockets_ = std::move(sockets).value();
    for (const v1::Endpoint& endpoint : sockets_->endpoints) *description_.add_endpoints() = endpoint;
    control_router_.emplace(sockets_->of(net::Channel::kControl));
    actuator_router_.emplace(sockets_->of(net::Channel::kActuators));
    publisher_.emplace(sockets_->of(net::Channel::kSensors), description_.schema_hash());
  }
  const double frame_rate_hz = description_.frame_rate_hz();
  frame_limit_.emplace(std::max(4.0 * frame_rate_hz, 1e5), std::max(4.0 * frame_rate_hz, 1e5));
  control_limit_.emplace(1000.0, 2000.0);
  answers_encoder_.emplace(description_.schema_hash());
  answers_.emplace();
  tuning_.emplace(rig_.spec);
  for (const ParameterSetting& setting : tuning_->all()) {
    v1::Parameter& parameter = *description_.add_parameters();
    parameter.set_name(setting.name);
    parameter.set_value(setting.value);
  }
  commands_.emplace(description_.schema_hash(), rig_.spec.plant.actuators.size(), rig_.spec.mode, memory_);
  auto adapters = make_adapters(rig_, *commands_);
  if (!adapters) return {adapters.error()};
  adapters_ = std::move(adapters).value();
  told_of_adapters_.resize(adapters_.size());
  jobs_.emplace();
  recorder_.emplace(record_head(), *tuning_, memory_, plant_, main_);
  const bool is_first = memory_.epoch.load(std::memory_order_relaxed) <= 1;
  if (!options_.record.empty() && is_first) {
    if (const auto error = recorder_->start_with_the_run(options_.record)) return {*error};
  }
  control_.emplace(control_parts());
  if (!options_.folder.empty()) {
    if (const auto error = write_endpoints(options_.folder, memory_.supervisor, description_)) return {*error};
  }
  if (!is_first) {
    const std::int64_t now = now_ns();
    rt::Request off;  // nobody reads the journal that an earlier io may have asked for
    off.kind = rt::RequestKind::kJournal;
    plant_.ask(off, now, [this](const rt::Reply*) {
      for (rt::JournalEntry entry; memory_.journal.take(entry);) continue;
      if (options_.record.empty()) return;
      recorder_->start("", now_ns(), [](const Result<RecordReport>&) {});
    });
  }
  return {};
}

RecordHead Io::record_head() const {
  RecordHead head;
  head.folder = options_.directory;
  head.facts.description = description_;
  head.facts.commit = cli::program_commit();
  head.facts.host = host::host_name();
  for (const std::filesystem::path& file : {options_.directory / "rig.yaml", rig_.spec.model}) {
    if (const auto text = read_text_file(file, kMostAttachment)) {
      head.files.push_back({file.filename().string(), *text});
    }
  }
  return head;
}

ControlParts Io::control_parts() {
  return {rig_,
          options_.directory / "rig.yaml",
          description_,
          memory_,
          *commands_,
          plant_,
          capture_,
          *jobs_,
          *recorder_,
          main_,
          *tuning_,
          [this](const Envelope& to, const v1::ControlReply& reply) {
            const std::string bytes = reply.SerializeAsString();
            control_router_->send(to, {bytes.data(), bytes.size()});
          },
          [this](std::string_view kind, std::uint64_t step, std::int64_t value, const std::string& text) {
            tell(kind, step, value, text);
          },
          [this] { return status(); },
          [this] { return timing(); }};
}

void Io::run(const std::atomic<bool>& stop) {
  ::pthread_setname_np(::pthread_self(), "io");  // for ps and top
  tell("io_started", 0, memory_.epoch.load(std::memory_order_relaxed), "");
  if (const auto taken = memory_.io_status.take(); taken.value != nullptr) loop_status_ = *taken.value;
  for (const auto& adapter : adapters_) adapter->begin(loop_status_, now_ns());
  if (!is_lockstep()) frame_thread_ = std::thread([this] { frame_loop(); });
  while (!stop.load(std::memory_order_relaxed)) {
    wait_for_work();
    main_.run();
    const std::int64_t now = now_ns();
    if (sockets_) {
      take_commands(now);
      take_control(now);
    }
    for (const auto& adapter : adapters_) adapter->receive(now);
    if (is_lockstep()) publish_until(now, [this] { return !adapters_wait(); });
    plant_.poll(now);
    if (now >= next_housekeeping_ns_) keep_house(now);
  }
  end();
}

void Io::wait_for_work() {
  std::vector<zmq::pollitem_t> items = {{nullptr, main_.descriptor(), ZMQ_POLLIN, 0}};
  if (sockets_) {
    items.push_back({sockets_->of(net::Channel::kControl).handle(), 0, ZMQ_POLLIN, 0});
    items.push_back({sockets_->of(net::Channel::kActuators).handle(), 0, ZMQ_POLLIN, 0});
  }
  for (const auto& adapter : adapters_) {
    if (adapter->descriptor() >= 0) items.push_back({nullptr, adapter->descriptor(), ZMQ_POLLIN, 0});
  }
  const bool is_due = is_lockstep() && (answers_->is_waiting() || plant_.is_waiting());
  const bool only_looks = is_lockstep() && adapters_wait();  // for their frames one waits elsewhere
  try {
    zmq::poll(items, only_looks ? std::chrono::milliseconds(0) : is_due ? kShortNap : kNap);
  } catch (const zmq::error_t&) {  // NOLINT(bugprone-empty-catch): a signal
  }
}

void Io::take_commands(std::int64_t now) {
  for (int i = 0; i < kMostFramesAtOnce && actuator_router_->take(); ++i) take_command(now);
}

void Io::take_command(std::int64_t now) {
  if (!frame_limit_->permits(actuator_router_->sender(), now)) {
    ++over_limit_;
    return;
  }
  std::optional<v1::Error> error;
  command_.Clear();
  if (!decode(actuator_router_->body(), command_)) {
    ++malformed_;
    error = wire_error(v1::ERROR_CODE_MALFORMED, "the message is no ActuatorFrame");
  } else if (!security::permits_commands(actuator_router_->caller().role)) {
    ++forbidden_;
    error = wire_error(v1::ERROR_CODE_FORBIDDEN, "this key may look, not command");
  } else {
    error = commands_->take(command_, now);
  }
  if (error) {
    const Bytes refusal = answers_encoder_->encode_refusal(command_.sequence(), *error);
    return actuator_router_->send(actuator_router_->sender(), actuator_router_->has_delimiter(), refusal);
  }
  recorder_->add_command(command_, now);
  if (!is_lockstep()) return;
  answers_->expect(commands_->releases(), command_.sequence(), actuator_router_->sender(),
                   actuator_router_->has_delimiter());
  publish_until(now, [this] { return !answers_->is_waiting(); });
}

/// The step is a matter of microseconds: waiting for it here saves the way through the poll. At least what is there is
/// published.
template <class Done>
void Io::publish_until(std::int64_t now, Done done) {
  for (std::int64_t time = now; time - now < kAnswerPatience_ns; time = now_ns()) {
    const std::uint32_t seen = memory_.to_client.seen();
    publish_frames(time);
    if (done()) return;
    memory_.to_client.wait(seen, kAnswerPatience_ns - (time - now));
  }
}

void Io::take_control(std::int64_t now) {
  for (int i = 0; i < kMostRequestsAtOnce && control_router_->take(); ++i) {
    if (!control_limit_->permits(control_router_->sender(), now)) {
      ++over_limit_;
      continue;
    }
    control_->take(control_router_->envelope(), control_router_->body(), control_router_->caller(), now);
  }
}

/// By the thread that takes frames.
void Io::publish_frames(std::int64_t now) {
  if (publisher_) publisher_->take_subscriptions();
  const auto pass_on = [&] {
    if (publisher_) publisher_->publish(frame_);
    published_.fetch_add(1, std::memory_order_relaxed);
    capture_.take(frame_);
    for (const auto& adapter : adapters_) adapter->send(frame_, now);
  };
  for (std::size_t left = memory_.frames.size(); left > 0 && memory_.frames.take(frame_); --left) {
    const auto waiting = answers_->take(frame_.release);
    if (waiting) {
      const Bytes answer =
          answers_encoder_->encode_answer(waiting->sequence, frame_, published_.load(std::memory_order_relaxed) + 1);
      actuator_router_->send(waiting->sender, waiting->with_delimiter, answer);
    }
    pass_on();
  }
  while (memory_.last_frames.take(frame_)) pass_on();
}

void Io::frame_loop() {
  ::pthread_setname_np(::pthread_self(), "frames");  // for ps and top
  while (!stops_.load(std::memory_order_relaxed)) {
    const std::uint32_t seen = memory_.to_client.seen();
    publish_frames(now_ns());
    if (memory_.replies.size() > 0) main_.wake();
    memory_.to_client.wait(seen, kLongestFrameNap_ns);
  }
}

void Io::keep_house(std::int64_t now) {
  next_housekeeping_ns_ = now + kBetweenHousekeeping_ns;
  if (const auto taken = memory_.io_status.take(); taken.value != nullptr) loop_status_ = *taken.value;
  for (const Lease& lease : commands_->expire(now)) {
    tell("lease_expired", loop_status_.step, static_cast<std::int64_t>(lease.actuators.size()), lease.holder);
  }
  capture_.expire(now);
  publish_events();
  if (memory_.given_up.load(std::memory_order_acquire) != 0 && !std::exchange(told_death_, true)) {
    tell("plant_died", loop_status_.step, 0, "the plant is gone: sensors show what the rig declares for this");
    next_status_ns_ = now;
  }
  if (now >= next_status_ns_) {
    next_status_ns_ = now + kBetweenStatus_ns;
    publish("status", status());
  }
  if (now >= next_timing_ns_) {
    next_timing_ns_ = now + kBetweenTiming_ns;
    publish("timing", timing());
    tell_of_adapters();
  }
}

/// As seldom as timing: what they complain of may come with every datagram.
void Io::tell_of_adapters() {
  for (std::size_t i = 0; i < adapters_.size(); ++i) {
    std::string trouble = adapters_[i]->trouble();
    if (trouble == told_of_adapters_[i]) continue;
    tell("adapter_trouble", 0, adapters_[i]->refused(), trouble);
    told_of_adapters_[i] = std::move(trouble);
  }
}

void Io::publish_events() {
  rt::Event event;
  for (std::size_t left = memory_.io_events.size(); left > 0 && memory_.io_events.take(event); --left) {
    v1::Event message;
    message.set_sequence(++event_sequence_);
    message.set_time_ns(event.time_ns);
    message.set_step(event.step);
    message.set_kind(std::string(rt::name_of(event.kind)));
    message.set_value(event.value);
    publish("event", message);
    recorder_->add_event(message);
    if (event.kind == rt::EventKind::kEnded) has_ended_ = true;
  }
}

void Io::tell(std::string_view kind, std::uint64_t step, std::int64_t value, const std::string& text) {
  v1::Event message;
  message.set_sequence(++event_sequence_);
  message.set_time_ns(now_ns());
  message.set_step(step != 0 ? step : loop_status_.step);
  message.set_kind(std::string(kind));
  message.set_value(value);
  message.set_text(text);
  publish("event", message);
  recorder_->add_event(message);
}

void Io::publish(const char* topic, const google::protobuf::MessageLite& message) {
  if (!sockets_) return;
  const std::size_t size = message.ByteSizeLong();
  buffer_.resize(size);
  message.SerializeToArray(buffer_.data(), static_cast<int>(size));
  zmq::socket_t& socket = sockets_->of(net::Channel::kEvents);
  socket.send(zmq::buffer(std::string_view(topic)), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
  socket.send(zmq::buffer(buffer_), zmq::send_flags::dontwait);
}

v1::PlantState Io::plant_state() const {
  if (memory_.given_up.load(std::memory_order_acquire) != 0) return v1::PLANT_STATE_DEAD;
  if (has_ended_) return v1::PLANT_STATE_ENDED;
  if (memory_.heartbeat.running.load(std::memory_order_acquire) == 0) return v1::PLANT_STATE_STARTING;
  return loop_status_.paused ? v1::PLANT_STATE_PAUSED : v1::PLANT_STATE_RUNNING;
}

v1::Status Io::status() {
  if (const auto taken = memory_.io_status.take(); taken.value != nullptr) loop_status_ = *taken.value;
  v1::Status status;
  to_wire(loop_status_, rig_.spec.plant, status);
  status.set_state(plant_state());
  std::int64_t refused = commands_->counters().refused() + control_->refused() + over_limit_ + malformed_ + forbidden_;
  for (const auto& adapter : adapters_) refused += adapter->refused();
  if (sockets_) refused += control_router_->misshapen() + actuator_router_->misshapen();
  status.set_messages_refused(refused);
  status.set_frames_published(static_cast<std::int64_t>(published_.load(std::memory_order_relaxed)));
  const RecordReport record = recorder_->report();
  status.set_recording(record.file);
  status.set_record_dropped(record.dropped);
  status.set_record_trouble(record.trouble);
  const std::int64_t now = now_ns();
  for (const Lease& lease : commands_->leases()) {
    v1::Lease& out = *status.add_leases();
    for (const std::size_t i : lease.actuators) out.add_actuators(rig_.spec.plant.actuators[i].name);
    out.set_holder(lease.holder);
    out.set_time_left_s(static_cast<double>(lease.until_ns - now) * 1e-9);
  }
  return status;
}

v1::Timing Io::timing() const {
  const bool by_clock = rig_.spec.mode == rt::Mode::kRealTime;
  v1::Timing out;
  to_wire(timing::summarize(memory_.timing, loop_status_, by_clock ? run::period_ns(rig_.spec) : 0), out);
  return out;
}

void Io::end() {
  stops_.store(true, std::memory_order_relaxed);
  if (frame_thread_.joinable()) frame_thread_.join();
  const std::int64_t now = now_ns();
  publish_frames(now);
  plant_.poll(now);
  main_.run();
  keep_house(now);
  publish("status", status());
  control_.reset();
  jobs_.reset();
  recorder_.reset();  // finishes the file
  if (!sockets_) return;
  for (auto& socket : sockets_->all) socket->set(zmq::sockopt::linger, static_cast<int>(kLinger.count()));
}

}  // namespace

std::vector<Error> run_io(const LoadedRig& rig, const IoOptions& options, rt::PlantMemory& memory,
                          const std::atomic<bool>& stop, const std::function<void()>& ready,
                          const std::function<void(const std::string&)>& warn) {
  Io io(rig, options, memory);
  if (std::vector<Error> errors = io.open(warn); !errors.empty()) return errors;
  ready();
  io.run(stop);
  return {};
}

}  // namespace kinloop::io
