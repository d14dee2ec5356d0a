// One thread polls the four sockets; what the test wants to publish waits in a list.
#include "tests/services/clients/fake_plant.hpp"

#include <unistd.h>
#include <zmq.h>

#include <array>
#include <chrono>
#include <fstream>
#include <limits>

namespace kinloop {
namespace {

using namespace std::chrono_literals;

/// All parts of a message that waits; none if none does.
std::vector<std::string> receive(void* socket) {
  std::vector<std::string> parts;
  zmq_msg_t part;
  zmq_msg_init(&part);
  while (zmq_msg_recv(&part, socket, ZMQ_DONTWAIT) >= 0) {
    parts.emplace_back(static_cast<const char*>(zmq_msg_data(&part)), zmq_msg_size(&part));
    if (zmq_msg_more(&part) == 0) break;
  }
  zmq_msg_close(&part);
  return parts;
}

void send(void* socket, const std::string& first, const std::string& second) {
  zmq_send(socket, first.data(), first.size(), ZMQ_SNDMORE);
  zmq_send(socket, second.data(), second.size(), 0);
}

v1::ControlReply done(std::uint64_t step) {
  v1::ControlReply reply;
  reply.set_step(step);
  reply.mutable_done();
  return reply;
}

constexpr std::uint64_t kFakePlantEffectStep = 4711;
constexpr std::uint64_t kSchema = 0x1234;

}  // namespace

struct FakePlant::Sockets {
  Sockets() : context(zmq_ctx_new()) {
    for (void** socket : {&control, &actuators}) *socket = zmq_socket(context, ZMQ_ROUTER);
    for (void** socket : {&sensors, &events}) *socket = zmq_socket(context, ZMQ_XPUB);
  }
  ~Sockets() {
    for (void* socket : {control, actuators, sensors, events}) {
      const int linger = 0;
      zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
      zmq_close(socket);
    }
    zmq_ctx_term(context);
  }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  void* context;
  void *control = nullptr, *actuators = nullptr, *sensors = nullptr, *events = nullptr;
};

FakePlant::FakePlant(std::filesystem::path folder) : folder_(std::move(folder)), description_(description()) {
  for (const char* socket : {"control", "actuators", "sensors", "events"}) {
    v1::Endpoint& endpoint = *description_.add_endpoints();
    endpoint.set_socket(socket);
    endpoint.set_address(address_of(socket));
  }
  const std::filesystem::path own = folder_ / ("four_bar-" + std::to_string(getpid()));
  std::filesystem::create_directories(own);
  std::ofstream file(own / "endpoints");
  file << "pid " << getpid() << "\nrig four_bar\nmode real_time\n";
  for (const char* socket : {"control", "actuators", "sensors", "events"}) {
    file << socket << " " << address_of(socket) << "\n";
  }
  file.close();
  start();
}

FakePlant::~FakePlant() { stop(); }

void FakePlant::start() {
  runs_ = true;
  thread_ = std::thread([this] { serve(); });
}

void FakePlant::stop() {
  runs_ = false;
  if (thread_.joinable()) thread_.join();
}

v1::Description FakePlant::description() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  v1::Description made;
  made.set_version(1);
  made.set_schema_hash(kSchema);
  made.set_rig("four_bar");
  made.set_model("four_bar");
  made.set_program("0.1.0");
  made.set_mode(v1::MODE_REAL_TIME);
  made.set_dt_s(0.001);
  made.set_frame_rate_hz(1000.0);
  v1::Actuator& motor = *made.add_actuators();
  motor.set_name("motor");
  motor.set_unit("V");
  motor.set_kind("dc_motor");
  motor.set_lower(-48.0);
  motor.set_upper(48.0);
  motor.set_initial(12.0);
  motor.set_max_age_s(0.02);
  motor.set_when_stale("ramp");
  motor.set_joint("O1");
  v1::Sensor& angle = *made.add_sensors();
  angle.set_name("angle");
  angle.set_unit("rad");
  angle.set_signal("q.O1");
  angle.set_lower(-kInfinity);
  angle.set_upper(kInfinity);
  angle.set_rate_hz(1000.0);
  v1::Sensor& speed = *made.add_sensors();
  speed = angle;
  speed.set_name("speed");
  speed.set_unit("rad/s");
  speed.set_signal("u.O1");
  speed.set_lower(-25.0);
  speed.set_upper(25.0);
  speed.set_delay_s(0.002);
  v1::Parameter& parameter = *made.add_parameters();
  parameter.set_name("rod_mass");
  parameter.set_value("2 kg");
  made.add_bodies("crank");
  made.add_bodies("coupler");
  made.set_state_size(16);
  made.set_plant_hash(0x77);
  return made;
}

void FakePlant::set_description(v1::Description description) {
  const std::lock_guard lock(mutex_);
  description_ = std::move(description);
}
void FakePlant::answer_with(Answer answer) {
  const std::lock_guard lock(mutex_);
  answer_ = std::move(answer);
}
void FakePlant::ignore_next(int requests) {
  const std::lock_guard lock(mutex_);
  ignored_ = requests;
}
void FakePlant::answer_frames_with(FrameAnswer answer) {
  const std::lock_guard lock(mutex_);
  frame_answer_ = std::move(answer);
}
std::vector<v1::ControlRequest> FakePlant::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}
std::vector<v1::ActuatorFrame> FakePlant::frames() const {
  const std::lock_guard lock(mutex_);
  return frames_;
}

v1::ControlRequest FakePlant::last_request() const {
  const std::lock_guard lock(mutex_);
  for (auto request = requests_.rbegin(); request != requests_.rend(); ++request) {
    if (!request->has_describe()) return *request;
  }
  return {};
}

bool FakePlant::has_subscriber(const std::string& topic) const {
  const std::lock_guard lock(mutex_);
  return std::find(topics_.begin(), topics_.end(), topic) != topics_.end();
}

void FakePlant::publish_bytes(const std::string& topic, std::string bytes) {
  const std::lock_guard lock(mutex_);
  outgoing_.push_back({false, topic, std::move(bytes)});
}
void FakePlant::publish(const std::string& topic, const v1::SensorFrame& frame) {
  publish_bytes(topic, frame.SerializeAsString());
}
void FakePlant::tell(const std::string& topic, const google::protobuf::MessageLite& message) {
  const std::lock_guard lock(mutex_);
  outgoing_.push_back({true, topic, message.SerializeAsString()});
}

v1::SensorFrame FakePlant::frame(std::uint64_t number, double angle, double speed) {
  v1::SensorFrame made;
  made.set_schema_hash(kSchema);
  made.set_sequence(number);
  made.set_step(number);
  made.set_time_s(static_cast<double>(number) * 0.001);
  made.add_value(angle);
  made.add_value(speed);
  made.set_quality(std::string(2, '\0'));
  return made;
}

v1::ControlReply FakePlant::usual_answer(const v1::ControlRequest& request) const {
  v1::ControlReply reply = done(kFakePlantEffectStep);
  switch (request.verb_case()) {
    case v1::ControlRequest::kDescribe:
      *reply.mutable_description() = description_;
      break;
    case v1::ControlRequest::kStatus:
      reply.mutable_status()->set_state(v1::PLANT_STATE_RUNNING);
      reply.mutable_status()->set_step(kFakePlantEffectStep);
      reply.mutable_status()->set_time_s(4.711);
      break;
    case v1::ControlRequest::kTiming:
      reply.mutable_timing()->set_steps(kFakePlantEffectStep);
      reply.mutable_timing()->set_period_ns(1000000);
      break;
    case v1::ControlRequest::kAcquire: {
      reply.mutable_acquired()->set_lease(request.acquire().lease() != 0 ? request.acquire().lease() : 99);
      reply.mutable_acquired()->set_time_s(1.0);
      for (const v1::Actuator& actuator : description_.actuators()) {
        reply.mutable_acquired()->add_actuators(actuator.name());
      }
      break;
    }
    case v1::ControlRequest::kSetParameters:
      *reply.mutable_parameters()->mutable_values() = request.set_parameters().values();
      break;
    case v1::ControlRequest::kGetParameters: {
      v1::ParameterValue& value = *reply.mutable_parameters()->add_values();
      value.set_name("rod_mass");
      value.set_value("2 kg");
      break;
    }
    case v1::ControlRequest::kSnapshot:
      reply.mutable_snapshot()->set_version(1);
      reply.mutable_snapshot()->set_rig("four_bar");
      reply.mutable_snapshot()->set_step(kFakePlantEffectStep);
      reply.mutable_snapshot()->add_block(0.25);
      break;
    case v1::ControlRequest::kInjectFault:
      reply.mutable_fault()->set_until_step(request.inject_fault().duration_s() > 0.0 ? kFakePlantEffectStep + 200 : 0);
      break;
    case v1::ControlRequest::kCapture:
      reply.mutable_capture()->set_trigger_step(5000);
      for (const std::uint64_t step : {4999U, 5000U, 5001U}) {
        reply.mutable_capture()->add_steps(step);
        reply.mutable_capture()->add_times_s(static_cast<double>(step) * 0.001);
        reply.mutable_capture()->add_values(0.5);
        reply.mutable_capture()->add_values(static_cast<double>(step));
        reply.mutable_capture()->add_flags(0);
      }
      break;
    case v1::ControlRequest::kLinearize:
      reply.mutable_linearization()->add_states("q.O1");
      reply.mutable_linearization()->add_inputs("motor");
      reply.mutable_linearization()->add_outputs("angle");
      reply.mutable_linearization()->add_a(0.5);
      reply.mutable_linearization()->add_b(0.25);
      reply.mutable_linearization()->add_c(1.0);
      reply.mutable_linearization()->add_d(0.0);
      reply.mutable_linearization()->set_dt_s(0.001);
      break;
    case v1::ControlRequest::kLinearizeTrajectory: {
      const v1::LinearizeTrajectoryRequest& asked = request.linearize_trajectory();
      v1::LinearizeTrajectoryReply& way = *reply.mutable_trajectory();
      way.add_states("q.O1");
      way.add_independent("O1");
      way.add_x(asked.block_size() > 0 ? asked.block(0) : 0.0);
      for (const double command : asked.commands()) {
        way.add_x(command);
        way.add_a(0.5);
        way.add_b(command);
      }
      way.set_complete(true);
      way.add_end(way.x(way.x_size() - 1));
      break;
    }
    case v1::ControlRequest::kTrim:
      reply.mutable_trim()->set_reached(request.trim().hold());
      reply.mutable_trim()->add_missing("u.O1 still changes");
      reply.mutable_trim()->add_commands(2.5);
      reply.mutable_trim()->mutable_state()->add_q(0.5);
      reply.mutable_trim()->mutable_snapshot()->set_version(1);
      break;
    case v1::ControlRequest::kRollout:
      for (const v1::CommandSequence& sequence : request.rollout().sequences()) {
        v1::RolloutResult& result = *reply.mutable_rollout()->add_results();
        result.set_complete(true);
        for (const double command : sequence.commands()) {
          result.add_outputs(command);
          result.add_outputs(2.0 * command);
        }
      }
      break;
    case v1::ControlRequest::kSubscribe:
      reply.mutable_subscription()->set_topic(request.subscribe().rate_hz() > 0.0 ? "sensors/10/" : "sensors/1/");
      reply.mutable_subscription()->set_rate_hz(request.subscribe().rate_hz() > 0.0 ? 100.0 : 1000.0);
      break;
    case v1::ControlRequest::kRecord:
      reply.mutable_record()->set_file("record-1.mcap");
      reply.mutable_record()->set_steps(request.record().stop() ? 1000 : 0);
      break;
    default:
      break;
  }
  reply.set_request_id(request.request_id());
  return reply;
}

void FakePlant::serve() {
  Sockets sockets;
  zmq_bind(sockets.control, address_of("control").c_str());
  zmq_bind(sockets.actuators, address_of("actuators").c_str());
  zmq_bind(sockets.sensors, address_of("sensors").c_str());
  zmq_bind(sockets.events, address_of("events").c_str());
  std::array<zmq_pollitem_t, 4> items{{{sockets.control, 0, ZMQ_POLLIN, 0},
                                       {sockets.actuators, 0, ZMQ_POLLIN, 0},
                                       {sockets.sensors, 0, ZMQ_POLLIN, 0},
                                       {sockets.events, 0, ZMQ_POLLIN, 0}}};
  while (runs_) {
    zmq_poll(items.data(), static_cast<int>(items.size()), 2);
    const std::lock_guard lock(mutex_);
    serve_control(sockets.control);
    serve_actuators(sockets.actuators);
    serve_publisher(sockets.sensors, false);
    serve_publisher(sockets.events, true);
    outgoing_.clear();
  }
  const std::lock_guard lock(mutex_);
  topics_.clear();
}

void FakePlant::serve_control(void* socket) {
  while (true) {
    const std::vector<std::string> parts = receive(socket);
    if (parts.size() != 2) return;
    v1::ControlRequest request;
    if (!request.ParseFromString(parts[1])) continue;
    requests_.push_back(request);
    if (ignored_ > 0) {
      --ignored_;
      continue;
    }
    const auto reply = answer_ ? answer_(request) : std::optional(usual_answer(request));
    if (reply) send(socket, parts[0], reply->SerializeAsString());
  }
}

void FakePlant::serve_actuators(void* socket) {
  while (true) {
    const std::vector<std::string> parts = receive(socket);
    if (parts.size() != 2) return;
    v1::ActuatorFrame frame;
    if (!frame.ParseFromString(parts[1])) continue;
    frames_.push_back(frame);
    const auto reply = frame_answer_ ? frame_answer_(frame) : std::nullopt;
    if (reply) send(socket, parts[0], reply->SerializeAsString());
  }
}

void FakePlant::serve_publisher(void* socket, bool is_event) {
  for (auto parts = receive(socket); !parts.empty(); parts = receive(socket)) {
    if (parts[0].starts_with('\1')) topics_.push_back((is_event ? "events:" : "") + parts[0].substr(1));
  }
  for (const Outgoing& one : outgoing_) {
    if (one.is_event == is_event) send(socket, one.topic, one.bytes);
  }
}

bool comes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

}  // namespace kinloop
