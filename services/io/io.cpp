// Start reading at Io::run().
#include "services/io/io.hpp"

#include <poll.h>
#include <pthread.h>

#include <cerrno>
#include <thread>

#include "core/base/nearest_name.hpp"
#include "rt/timing/clock.hpp"
#include "services/base/text_file.hpp"
#include "services/host/build_facts.hpp"
#include "services/host/host_name.hpp"
#include "services/io/adapter_set.hpp"
#include "services/io/description.hpp"
#include "services/io/endpoints_file.hpp"
#include "services/io/event_publisher.hpp"
#include "services/io/frame_publisher.hpp"
#include "services/io/lockstep_answers.hpp"
#include "services/io/rate_limit.hpp"
#include "services/io/request_handler.hpp"
#include "services/io/router.hpp"
#include "services/io/times.hpp"
#include "services/rig/write_rig.hpp"
#include "services/wire/wire_error.hpp"

namespace kinloop::io {
namespace {

constexpr int kMaxFramesAtOnce = 256;   // of commands, before other work is looked at
constexpr int kMaxRequestsAtOnce = 32;  // of control
constexpr std::chrono::milliseconds kIdleWait{20};
constexpr std::chrono::milliseconds kShortWait{1};  // while an answer of the plant is due
constexpr std::int64_t kMaxFrameWait_ns = 20'000'000;
constexpr std::int64_t kBetweenHousekeeping_ns = 5'000'000;
constexpr std::int64_t kBetweenSubscriptions_ns = 1'000'000;
constexpr std::int64_t kAnswerPatience_ns = 3'000'000;  // in which other clients wait for a step of lockstep
constexpr std::int64_t kBetweenMotions_ns = rt::kBetweenPictures_ns * 3 / 4;  // so that none of the plant's is missed
constexpr std::int64_t kSpinWait_ns = 100'000;  // for a step of lockstep, before it is slept for
constexpr std::chrono::milliseconds kLinger{200};
constexpr std::size_t kMaxAttachment = std::size_t{64} << 20U;

class Io {
 public:
  Io(const LoadedRig& rig, const IoOptions& options, rt::PlantMemory& memory, log::Logger log)
      : rig_(rig), options_(options), memory_(memory), log_(log) {}

  std::vector<Error> open();
  void run(const std::atomic<bool>& stop);

 private:
  bool is_lockstep() const noexcept { return rig_.spec.mode == rt::Mode::kLockstep; }
  ControlParts control_parts();
  RecordHead record_head() const;

  void gather_sources();
  void wait_for_work();
  void work_once();
  void take_commands(std::int64_t now);
  void take_command(std::int64_t now);
  void take_control(std::int64_t now);
  void publish_frames(std::int64_t now);
  template <class Done>
  void publish_until(std::int64_t now, Done done);
  void keep_house(std::int64_t now);
  void tell_record_trouble();
  void tell_socket_trouble(const zmq::error_t& error) const;
  std::int64_t refused();
  void frame_loop();
  void end();

  const LoadedRig& rig_;
  const IoOptions& options_;
  rt::PlantMemory& memory_;
  log::Logger log_;

  v1::Description description_;
  std::unique_ptr<Sockets> sockets_;
  std::optional<LiveParameters> live_parameters_;
  std::optional<CommandArbiter> commands_;
  PlantChannel plant_{memory_};
  TaskQueue tasks_;
  Capture capture_;
  std::optional<Recorder> recorder_;
  std::optional<EventPublisher> events_;
  std::optional<JobThread> jobs_, trials_;
  std::optional<RequestHandler> control_;
  std::optional<Router> control_router_, actuator_router_;
  std::optional<FramePublisher> publisher_;
  std::optional<FrameEncoder> answers_encoder_;
  std::optional<LockstepAnswers> answers_;
  AdapterSet adapters_;
  std::optional<RateLimit> frame_limit_, control_limit_;
  std::int64_t over_limit_ = 0, malformed_ = 0, forbidden_ = 0;
  std::vector<pollfd> sources_;  // of work, in this order; then the adapters'
  static constexpr std::size_t kMainSource = 0, kControlSource = 1, kActuatorSource = 2;
  bool control_used_ = true, actuators_used_ = true;  // since they were last found empty
  rt::SensorFrame frame_;
  v1::ActuatorFrame command_;
  std::string told_trouble_;  // of the record
  std::int64_t next_housekeeping_ns_ = 0;
  std::int64_t next_subscriptions_ns_ = 0, next_motion_ns_ = 0;  // of the thread of the frames
  std::atomic<bool> stops_{false};
  std::thread frame_thread_;
  std::unique_ptr<gateway::Gateway> gateway_;
};

std::vector<Error> Io::open() {
  description_ = describe(rig_, memory_.state_size);
  if (!options_.listen.addresses.empty()) {
    const auto report = [log = log_](const std::string& line) { log.warning(line); };
    auto sockets = open_sockets(options_.listen, read_endpoints(options_.folder), report);
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
  live_parameters_.emplace(rig_.spec);
  if (const auto set = memory_.parameters.take(); set.value != nullptr) {  // before this io
    live_parameters_->set(from_lines(set.value->text.data()), set.value->number);
  }
  to_wire(live_parameters_->all(), *description_.mutable_parameters());
  commands_.emplace(description_.schema_hash(), rig_.spec.plant.actuators.size(), rig_.spec.mode, memory_);
  auto adapters = make_adapters(rig_, *commands_);
  if (!adapters) return {adapters.error()};
  adapters_ = AdapterSet(std::move(adapters).value());
  jobs_.emplace();
  trials_.emplace();
  recorder_.emplace(record_head(), *live_parameters_, memory_, plant_, tasks_);
  events_.emplace(sockets_ ? &sockets_->of(net::Channel::kEvents) : nullptr, rig_, memory_, *commands_, *recorder_);
  const bool is_first = memory_.epoch.load(std::memory_order_relaxed) <= 1;
  if (!options_.record.empty() && is_first) {
    if (const auto error = recorder_->start_with_the_run(options_.record)) return {*error};
  }
  control_.emplace(control_parts());
  if (options_.panel) {
    auto gateway =
        gateway::Gateway::open(*options_.panel, description_, read_endpoints(options_.folder), log_.of("gateway"));
    if (!gateway) return {gateway.error()};
    gateway_ = std::move(gateway).value();
    v1::Endpoint& page = *description_.add_endpoints();
    page.set_socket(gateway::kPanelEndpoint);
    page.set_address(gateway_->url());
  }
  if (!options_.folder.empty()) {
    if (const auto error = write_endpoints(options_.folder, memory_.supervisor, description_)) return {*error};
  }
  for (const v1::Endpoint& endpoint : description_.endpoints()) {
    log_.debug("serves " + endpoint.socket() + " at " + endpoint.address());
  }
  if (!is_first) {
    const std::int64_t now = now_ns();
    rt::Request off;  // nobody reads the journal that an earlier io may have asked for
    off.kind = rt::RequestKind::kJournal;
    plant_.ask(off, now, [this](const rt::Reply*) {
      for (rt::JournalEntry entry; memory_.journal.take(entry);) continue;
      if (options_.record.empty()) return;
      const std::string name = "record-after-restart-" + std::to_string(memory_.epoch.load() - 1) + ".mcap";
      recorder_->start(name, now_ns(), [this](const Result<RecordReport>& report) {
        events_->tell("recording", 0, 0, report ? report->file : report.error().what);
      });
    });
  }
  return {};
}

RecordHead Io::record_head() const {
  RecordHead head;
  head.folder = options_.directory;
  head.facts.description = description_;
  head.facts.commit = host::build_facts().commit;
  head.facts.host = host::host_name();
  const auto attach = [&](const std::string& name, const std::filesystem::path& file) {
    if (const auto text = read_text_file(file, kMaxAttachment)) head.files.push_back({name, *text});
  };
  attach("rig.yaml", options_.directory / "rig.yaml");
  attach(kept_model_name(rig_.spec), rig_.spec.model);  // as that rig names it, wherever this one was read from
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
          *trials_,
          *recorder_,
          tasks_,
          *live_parameters_,
          [this](const Envelope& to, const v1::ControlReply& reply) {
            const std::string bytes = reply.SerializeAsString();
            control_router_->send(to, {bytes.data(), bytes.size()});
            control_used_ = true;  // sending may have cleared the signal of a request
          },
          [this](std::string_view kind, std::uint64_t step, std::int64_t value, const std::string& text) {
            events_->tell(kind, step, value, text);
          },
          [this] { return events_->status(refused()); },
          [this] { return events_->timing(); }};
}

void Io::run(const std::atomic<bool>& stop) {
  events_->tell("io_started", 0, memory_.epoch.load(std::memory_order_relaxed), "");
  adapters_.begin(memory_.io_status.take().value, now_ns());
  gather_sources();
  if (!is_lockstep()) frame_thread_ = std::thread([this] { frame_loop(); });
  while (!stop.load(std::memory_order_relaxed)) {
    try {
      wait_for_work();
      work_once();
    } catch (const zmq::error_t& error) {
      tell_socket_trouble(error);  // what was not done is done the next time
    }
  }
  end();
}

/// A signal is none.
void Io::tell_socket_trouble(const zmq::error_t& error) const {
  if (error.num() != EINTR) log_.warning(std::string("trouble with a socket: ") + error.what());
}

void Io::gather_sources() {
  sources_ = {{tasks_.descriptor(), POLLIN, 0}};
  if (sockets_) {
    for (const net::Channel channel : {net::Channel::kControl, net::Channel::kActuators}) {
      sources_.push_back({sockets_->of(channel).get(zmq::sockopt::fd), POLLIN, 0});
    }
  }
  for (const int descriptor : adapters_.descriptors()) sources_.push_back({descriptor, POLLIN, 0});
}

/// On the descriptors themselves: zmq_poll() asks every socket for its events before and after, which in lockstep took
/// longer than the step. A socket's descriptor tells of a change only, so a socket that was used is looked at again
/// before anybody sleeps.
void Io::wait_for_work() {
  const bool is_due = is_lockstep() && (answers_->is_waiting() || plant_.is_waiting());
  const bool sockets_used = sockets_ && (actuators_used_ || control_used_);  // without any, nothing would end it
  const bool only_looks = sockets_used || (is_lockstep() && adapters_.is_waiting());
  const int wait_ms = only_looks ? 0 : static_cast<int>((is_due ? kShortWait : kIdleWait).count());
  ::poll(sources_.data(), sources_.size(), wait_ms);
}

void Io::work_once() {
  if (sources_[kMainSource].revents != 0) tasks_.run();
  const std::int64_t now = now_ns();
  const bool is_time = now >= next_housekeeping_ns_;
  if (sockets_) {
    if (actuators_used_ || is_time || sources_[kActuatorSource].revents != 0) take_commands(now);
    if (control_used_ || is_time || sources_[kControlSource].revents != 0) take_control(now);
  }
  adapters_.receive(now);
  if (is_lockstep()) publish_until(now, [this] { return !adapters_.is_waiting(); });
  plant_.poll(now);
  if (is_time) keep_house(now);
}

void Io::take_commands(std::int64_t now) {
  actuators_used_ = true;  // until nothing is left
  for (int i = 0; i < kMaxFramesAtOnce; ++i) {
    if (!actuator_router_->take()) {
      actuators_used_ = false;
      return;
    }
    take_command(now);
  }
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

/// A step is a matter of microseconds: waiting for it here saves the way through the poll. At least what is there is
/// published.
template <class Done>
void Io::publish_until(std::int64_t now, Done done) {
  for (std::int64_t time = now; time - now < kAnswerPatience_ns; time = now_ns()) {
    const std::uint32_t seen = memory_.to_client.seen();
    publish_frames(time);
    if (done()) return;
    if (!memory_.to_client.spin_wait(seen, kSpinWait_ns))
      memory_.to_client.wait(seen, kAnswerPatience_ns - (time - now));
  }
}

void Io::take_control(std::int64_t now) {
  control_used_ = true;  // until nothing is left
  for (int i = 0; i < kMaxRequestsAtOnce; ++i) {
    if (!control_router_->take()) {
      control_used_ = false;
      return;
    }
    if (control_limit_->permits(control_router_->sender(), now)) {
      control_->take(control_router_->envelope(), control_router_->body(), control_router_->caller(), now);
    } else {
      ++over_limit_;
    }
  }
}

/// By the thread that takes frames.
void Io::publish_frames(std::int64_t now) {
  if (publisher_ && now >= next_subscriptions_ns_) {
    next_subscriptions_ns_ = now + kBetweenSubscriptions_ns;
    publisher_->take_subscriptions();
  }
  const auto pass_on = [&] {
    if (publisher_) publisher_->publish(frame_);
    events_->count_frame();
    capture_.take(frame_);
    adapters_.send(frame_, now);
  };
  for (std::size_t left = memory_.frames.size(); left > 0 && memory_.frames.take(frame_); --left) {
    const auto waiting = answers_->take(frame_.release);
    if (waiting) {
      const Bytes answer = answers_encoder_->encode_answer(waiting->sequence, frame_, events_->frames() + 1);
      actuator_router_->send(waiting->sender, waiting->with_delimiter, answer);
      actuators_used_ = true;
    }
    pass_on();
  }
  if (publisher_ && publisher_->is_motion_wanted() && now >= next_motion_ns_) {
    if (const auto motion = memory_.pose.take(); motion.is_new) {
      next_motion_ns_ = now + kBetweenMotions_ns;
      publisher_->publish(*motion.value);
    }
  }
  while (memory_.last_frames.take(frame_)) {
    if (publisher_) publisher_->publish_to_all(frame_);
    adapters_.send(frame_, now);
  }
}

void Io::frame_loop() {
  ::pthread_setname_np(::pthread_self(), "frames");  // for ps and top
  while (!stops_.load(std::memory_order_relaxed)) {
    const std::uint32_t seen = memory_.to_client.seen();
    try {
      publish_frames(now_ns());
    } catch (const zmq::error_t& error) {
      tell_socket_trouble(error);
      continue;
    }
    if (memory_.replies.size() > 0 || memory_.build_refusals.size() > 0) tasks_.wake();
    memory_.to_client.wait(seen, kMaxFrameWait_ns);
  }
}

void Io::keep_house(std::int64_t now) {
  next_housekeeping_ns_ = now + kBetweenHousekeeping_ns;
  for (const Lease& lease : commands_->expire(now)) {
    events_->tell("lease_expired", 0, static_cast<std::int64_t>(lease.actuators.size()), lease.holder);
    log_.debug("a lease of " + in_quotes(lease.holder) + " expired");
  }
  capture_.expire(now);
  events_->publish(now, refused());
  tell_record_trouble();
  adapters_.tell_trouble(now, [this](std::int64_t messages, const std::string& trouble) {
    events_->tell("adapter_trouble", 0, messages, trouble);
    if (!trouble.empty()) log_.warning("an adapter refused " + std::to_string(messages) + " messages: " + trouble);
  });
}

/// Once for each kind: who looks at neither status nor record shall know as well.
void Io::tell_record_trouble() {
  const RecordReport report = recorder_->report();
  if (report.trouble == std::exchange(told_trouble_, report.trouble) || report.trouble.empty()) return;
  events_->tell("record_trouble", 0, report.dropped, report.trouble);
  log_.warning("the record " + report.file + " is not complete: " + report.trouble);
}

/// Messages, for whatever reason.
std::int64_t Io::refused() {
  std::int64_t count = commands_->counters().refused() + control_->refused() + over_limit_ + malformed_ + forbidden_ +
                       adapters_.refused();
  if (sockets_) count += control_router_->misshapen() + actuator_router_->misshapen();
  return count;
}

void Io::end() {
  stops_.store(true, std::memory_order_relaxed);
  if (frame_thread_.joinable()) frame_thread_.join();
  const std::int64_t now = now_ns();
  publish_frames(now);
  plant_.poll(now);
  jobs_.reset();  // first: they use the request handler
  trials_.reset();
  tasks_.run();
  keep_house(now);
  events_->publish_status(refused());
  gateway_.reset();
  control_.reset();
  events_.reset();
  recorder_.reset();  // finishes the file
  if (!sockets_) return;
  for (auto& socket : sockets_->all) socket->set(zmq::sockopt::linger, static_cast<int>(kLinger.count()));
}

}  // namespace

std::vector<Error> run_io(const LoadedRig& rig, const IoOptions& options, rt::PlantMemory& memory,
                          const std::atomic<bool>& stop, const std::function<void()>& ready, log::Logger log) {
  Io io(rig, options, memory, log);
  if (std::vector<Error> errors = io.open(); !errors.empty()) return errors;
  ready();
  io.run(stop);
  return {};
}

}  // namespace kinloop::io
