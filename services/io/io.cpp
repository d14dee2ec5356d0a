// The main thread of io: start reading at Io::run().
#include "services/io/io.hpp"

#include <poll.h>

#include <utility>

#include "services/io/command_receiver.hpp"
#include "services/io/control_receiver.hpp"
#include "services/io/endpoint_retry.hpp"
#include "services/io/frame_distributor.hpp"
#include "services/io/housekeeping.hpp"
#include "services/io/io_parts.hpp"
#include "services/io/lane_set.hpp"
#include "services/io/panel_server.hpp"
#include "services/io/request_handler.hpp"
#include "services/io/socket_trouble.hpp"
#include "services/io/stop_address_watch.hpp"
#include "services/io/times.hpp"

namespace kinloop::io {
namespace {

class Io {
 public:
  Io(IoParts& parts, log::Logger log);

  std::vector<Error> open();
  void run(const std::atomic<IoWish>& wish);

 private:
  void gather_sources();
  void show_life(std::int64_t now_ns);
  void wait_for_work();
  void work_once();
  void take_commands(std::int64_t now_ns);
  void take_lane_commands(std::int64_t now_ns);
  LaneSet::Parts lane_parts();
  void tell_lanes();
  void end(const std::atomic<IoWish>& wish);
  ControlParts control_parts();
  std::int64_t refused();
  void tell_taken_addresses();

  IoParts& parts_;
  log::Logger log_;
  std::optional<JobThread> jobs_, trials_;
  std::uint64_t jobs_pulse_ = 0, trials_pulse_ = 0;
  RequestHandler handler_;
  std::optional<CommandReceiver> commands_;
  std::optional<ControlReceiver> control_;
  std::optional<LaneSet> lanes_;
  std::optional<FrameDistributor> frames_;
  Housekeeping housekeeping_;
  PanelServer page_;
  StopAddressWatch stops_;
  std::vector<EndpointRetry> retries_;  // of the sockets of this thread
  std::vector<pollfd> sources_;         // of work, in this order; then the adapters', then those of lanes
  std::size_t lasting_sources_ = 0;     // all but those of lanes
  static constexpr std::size_t kTaskSource = 0, kControlSource = 1, kCommandSource = 2;
};

void Io::run(const std::atomic<IoWish>& wish) {
  parts_.events.tell("io_started", 0, parts_.memory.epoch.load(std::memory_order_relaxed), "");
  parts_.adapters.begin(parts_.memory.io_status.take().value, now_ns());
  gather_sources();
  tell_taken_addresses();
  if (!parts_.is_lockstep()) frames_->start();
  while (wish.load(std::memory_order_relaxed) == IoWish::kGoOn) {
    show_life(now_ns());
    try {
      wait_for_work();
      work_once();
    } catch (const zmq::error_t& error) {
      tell_socket_trouble(log_, error);  // what was not done is done the next time
    }
  }
  end(wish);
}

/// Of this thread, and of those that only count: what they work at knows no clock.
void Io::show_life(std::int64_t now_ns) {
  rt::IoBeats& beats = parts_.memory.io_beats;
  rt::beat_of(beats, rt::IoThread::kMain).show(now_ns);
  if (const std::uint64_t pulse = jobs_->pulse(); pulse != std::exchange(jobs_pulse_, pulse)) {
    rt::beat_of(beats, rt::IoThread::kJobs).show(now_ns);
  }
  if (const std::uint64_t pulse = trials_->pulse(); pulse != std::exchange(trials_pulse_, pulse)) {
    rt::beat_of(beats, rt::IoThread::kTrials).show(now_ns);
  }
}

/// On the descriptors themselves: zmq_poll() asks every socket for its events before and after, which in lockstep took
/// longer than the step.
void Io::wait_for_work() {
  constexpr int kIdleWait_ms = 20;
  constexpr int kShortWait_ms = 1;  // while an answer of the plant is due
  const bool has_steps = (commands_ && commands_->is_waiting()) || (lanes_ && lanes_->is_waiting());
  const bool is_due = parts_.is_lockstep() && (has_steps || parts_.plant.is_waiting());
  const bool sockets_used = parts_.sockets && (commands_->router().is_used() || control_->router().is_used());
  sources_.resize(lasting_sources_);
  const bool lanes_used = lanes_ && lanes_->begin_sleep(sources_);
  const bool only_looks = sockets_used || lanes_used || (parts_.is_lockstep() && parts_.adapters.is_waiting());
  ::poll(sources_.data(), sources_.size(), only_looks ? 0 : is_due ? kShortWait_ms : kIdleWait_ms);
  if (lanes_) lanes_->end_sleep(std::span<const pollfd>(sources_).subspan(lasting_sources_), now_ns());
}

void Io::work_once() {
  if (sources_[kTaskSource].revents != 0) parts_.tasks.run();
  const std::int64_t now = now_ns();
  const bool is_time = housekeeping_.is_due(now);
  if (parts_.sockets) {
    if (commands_->router().is_used() || is_time || sources_[kCommandSource].revents != 0) take_commands(now);
    parts_.plant.rearms().begin_round(now);
    if (control_->router().is_used() || is_time || sources_[kControlSource].revents != 0) control_->take(now);
    if (!control_->router().is_used()) parts_.plant.rearms().has_read_all();
  }
  if (lanes_) take_lane_commands(now);
  parts_.adapters.receive(now);
  if (parts_.is_lockstep()) frames_->publish_until(now, [this] { return !parts_.adapters.is_waiting(); });
  parts_.plant.poll(now);
  for (const BuildNote& note : parts_.plant.take_notes()) {
    parts_.events.tell(note.is_warning ? "solver_warning" : "solver", 0, 0, note.text);
    note.is_warning ? log_.warning(note.text) : log_.info(note.text);
  }
  if (!is_time) return;
  for (EndpointRetry& retry : retries_) retry.try_again(now);
  page_.try_again(now);
  stops_.look(now);
  handler_.end_departed();
  housekeeping_.keep(now);
  if (lanes_) lanes_->end_overdue(now);
}

void Io::take_lane_commands(std::int64_t now_ns) {
  lanes_->take_commands(now_ns, [this, now_ns] {
    if (parts_.is_lockstep()) frames_->publish_until(now_ns, [this] { return !lanes_->is_waiting(); });
  });
}

void Io::take_commands(std::int64_t now_ns) {
  constexpr int kMaxAtOnce = 256;  // before other work is looked at
  using Taken = CommandReceiver::Taken;
  for (int i = 0; i < kMaxAtOnce; ++i) {
    const Taken taken = commands_->take(now_ns);
    if (taken == Taken::kNothing) return;
    if (taken == Taken::kRefused || !parts_.is_lockstep()) continue;
    frames_->publish_until(now_ns, [this] { return !commands_->is_waiting(); });
  }
}

/// An io before this one had them. The rest is served meanwhile.
void Io::tell_taken_addresses() {
  const auto tell = [this](const std::string& address) {
    log_.warning(address + " is taken by somebody else: it is not served, and tried again");
    parts_.events.endpoint_is_down(address);
  };
  if (!page_.taken_address().empty()) tell(page_.taken_address());
  if (!parts_.sockets) return;
  for (const auto& down : parts_.sockets->down) {
    for (const net::BindAddress& address : down) tell(address.endpoint);
  }
  for (const net::Channel channel : {net::Channel::kControl, net::Channel::kActuators, net::Channel::kEvents}) {
    retries_.emplace_back(parts_.sockets.get(), channel,
                          [this](const std::string& address) { parts_.events.endpoint_is_up(address); });
  }
}

void Io::end(const std::atomic<IoWish>& wish) {
  frames_->stop();
  const std::int64_t now = now_ns();
  frames_->publish(now);
  parts_.plant.poll(now);
  jobs_.reset();  // first: they use the request handler
  trials_.reset();
  parts_.tasks.run();
  housekeeping_.keep(now);
  if (wish.load(std::memory_order_relaxed) == IoWish::kEndForsaken) {
    log_.error("the supervisor died: plant and io end");
    parts_.events.supervisor_died();
    frames_->publish_fault(parts_.rig.spec.plant.sensors, now);
  }
  parts_.recorder.end();  // what its last steps met with is trouble too
  housekeeping_.tell_record_trouble();
  parts_.events.publish_status(refused());
  page_.close();
  if (!parts_.sockets) return;
  constexpr int kLinger_ms = 200;
  for (auto& socket : parts_.sockets->all) socket->set(zmq::sockopt::linger, kLinger_ms);
}

Io::Io(IoParts& parts, log::Logger log)
    : parts_(parts),
      log_(log),
      jobs_(std::in_place, "jobs"),
      trials_(std::in_place, "trials"),
      handler_(control_parts()),
      housekeeping_(parts, log, [this] { return refused(); }),
      page_(parts, log),
      stops_(parts, log) {
  if (parts.sockets) {
    commands_.emplace(*parts.socket(net::Channel::kActuators), parts.description.schema_hash(),
                      parts.description.frame_rate_hz(), parts.rig.spec.mode, parts.commands, parts.recorder);
    control_.emplace(*parts.socket(net::Channel::kControl), handler_);
  }
  if (parts.sockets && !parts.options.folder.empty()) lanes_.emplace(parts.options.folder, lane_parts());
  CommandReceiver* answered = commands_ && parts.is_lockstep() ? &*commands_ : nullptr;
  frames_.emplace(FrameParts{parts.memory, parts.sockets.get(), parts.description.schema_hash(), answered,
                             lanes_ ? &*lanes_ : nullptr, parts.events, parts.capture, parts.adapters, parts.tasks,
                             log});
}

LaneSet::Parts Io::lane_parts() {
  return {parts_.description, parts_.rig.spec.mode, parts_.commands, parts_.recorder,
          [this](std::string_view kind, const std::string& text) { parts_.events.tell(kind, 0, 0, text); }};
}

/// Clients of this host may ask for a lane there.
void Io::tell_lanes() {
  if (!lanes_) return;
  if (lanes_->address().empty()) return log_.warning("io has no socket for lanes: all clients use the others");
  v1::Endpoint& endpoint = *parts_.description.add_endpoints();
  endpoint.set_socket(std::string(client::lane::kEndpoint));
  endpoint.set_address(lanes_->address());
}

ControlParts Io::control_parts() {
  return {parts_.rig,
          parts_.options.directory / "rig.yaml",
          parts_.description,
          parts_.memory,
          parts_.commands,
          parts_.plant,
          parts_.capture,
          *jobs_,
          *trials_,
          parts_.recorder,
          parts_.tasks,
          parts_.live_parameters,
          [this](const Envelope& to, const Answer& answer) { control_->send(to, answer); },
          [this](std::string_view kind, std::uint64_t step, std::int64_t value, const std::string& text) {
            parts_.events.tell(kind, step, value, text);
          },
          [this] { return parts_.events.status(refused()); },
          [this] { return parts_.events.timing(); }};
}

std::vector<Error> Io::open() {
  if (std::vector<Error> errors = page_.open(); !errors.empty()) return errors;
  tell_lanes();
  if (const auto error = tell_endpoints(parts_, log_)) return {*error};
  if (!parts_.is_first()) take_over(parts_);
  show_life(now_ns());  // before the plant may begin: one that dies before its first round is missed too
  return {};
}

void Io::gather_sources() {
  sources_ = {{parts_.tasks.descriptor(), POLLIN, 0}};
  if (parts_.sockets) {
    for (const Router* router : {&control_->router(), &commands_->router()}) {
      sources_.push_back({router->descriptor(), POLLIN, 0});
    }
  }
  for (const int descriptor : parts_.adapters.descriptors()) sources_.push_back({descriptor, POLLIN, 0});
  lasting_sources_ = sources_.size();
}

/// Messages, for whatever reason.
std::int64_t Io::refused() {
  std::int64_t count = parts_.commands.counters().refused() + handler_.refused() + parts_.adapters.refused();
  if (parts_.sockets) count += commands_->refused() + control_->refused();
  if (lanes_) count += lanes_->refused();
  return count;
}

}  // namespace

std::vector<Error> run_io(const LoadedRig& rig, const IoOptions& options, rt::PlantMemory& memory,
                          const std::atomic<IoWish>& wish, const std::function<void()>& ready, log::Logger log) {
  auto parts = open_parts(rig, options, memory, log);
  if (!parts) return parts.error();
  Io io(**parts, log);
  if (std::vector<Error> errors = io.open(); !errors.empty()) return errors;
  ready();
  io.run(wish);
  return {};
}

}  // namespace kinloop::io
