// The page's files, JSON for scripts, metrics, health.
#include <google/protobuf/util/json_util.h>

#include <nlohmann/json.hpp>

#include "rt/timing/clock.hpp"
#include "services/gateway/hub.hpp"
#include "services/gateway/metrics.hpp"
#include "services/gateway/panel_files.hpp"
#include "services/security/roles.hpp"

namespace kinloop::gateway {
namespace {

constexpr std::int64_t kFresh_ns = 2'000'000'000;  // status comes four times a second

WebReply failure(unsigned status, const std::string& what) {
  return {status, "application/json", nlohmann::json{{"error", what}}.dump() + "\n"};
}

WebReply json(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  WebReply reply;
  if (!google::protobuf::util::MessageToJsonString(message, &reply.body, options).ok()) {
    return failure(500, "the answer cannot be written as JSON");
  }
  return reply;
}

bool reads(const WebRequest& request) { return request.method == "GET" || request.method == "HEAD"; }

unsigned status_of(v1::ErrorCode code) {
  switch (code) {
    case v1::ERROR_CODE_FORBIDDEN:
      return 403;
    case v1::ERROR_CODE_UNKNOWN_NAME:
      return 404;
    case v1::ERROR_CODE_LEASED:
    case v1::ERROR_CODE_NO_LEASE:
    case v1::ERROR_CODE_NOT_NOW:
    case v1::ERROR_CODE_NUMBER_USED:
      return 409;
    case v1::ERROR_CODE_TOO_LARGE:
      return 413;
    case v1::ERROR_CODE_BUSY:
      return 429;
    case v1::ERROR_CODE_PLANT:
      return 504;
    case v1::ERROR_CODE_INTERNAL:
      return 500;
    default:
      return 400;
  }
}

}  // namespace

/// The page's own files and health are for all; what tells of the plant is for those who are let in.
void Hub::answer(const WebRequest& request, std::function<void(WebReply)> reply) {
  if (log_.takes(log::Level::kTrace)) log_.trace(request.method + " " + request.path);
  if (!access_.permits_origin(request)) {
    tell_refusal(request, "it is not of this site");
    return reply(
        failure(403, "this page is not served to " + (request.origin.empty() ? request.host : request.origin)));
  }
  if (reads(request) && request.path == "/healthz") return reply(health());
  if (const PanelFile* file = find_panel_file(request.path); file != nullptr && reads(request)) {
    return reply({200, std::string(file->type), std::string(file->bytes)});
  }
  const auto caller = access_.caller_of(request);
  if (!caller) {
    tell_unknown_token(request);
    return reply(failure(401, "wants a token: Authorization: Bearer <token>"));
  }
  if (request.path == "/api/control") return control(request, *caller, std::move(reply));
  if (!reads(request)) return reply(failure(405, "POST is for /api/control"));
  reply(read_only(request));
}

/// The supervisor's stop: at the same host, whatever name that has for the page.
std::string Hub::also_connects_to() const {
  for (const v1::Endpoint& endpoint : description_.endpoints()) {
    if (endpoint.socket() != "stop" || !endpoint.address().starts_with("http://")) continue;
    return "http://*:" + std::string(split_host(host_of_origin(endpoint.address())).port);
  }
  return "";
}

WebReply Hub::read_only(const WebRequest& request) {
  if (request.path == "/api/describe") return json(description_);
  if (request.path == "/api/status") return json(present_status());
  if (request.path == "/api/timing") return json(timing_);
  if (request.path == "/api/motion") return json(motion_);
  if (request.path == "/api/scene") return json(scene_);
  if (request.path == "/api/sensors") return {200, "application/json", newest_sample()};
  if (request.path == "/metrics") {
    forget_gone();
    const v1::Status status = present_status();
    const MetricFacts facts{description_,
                            status,
                            timing_,
                            motion_,
                            std::string(name_of(drawn_->rig.spec.overrun.kind)),
                            static_cast<int>(sessions_.size())};
    return {200, "text/plain; version=0.0.4; charset=utf-8", metrics_text(facts)};
  }
  return failure(404, "there is no " + request.path +
                          ": /, /metrics, /healthz, /api/describe, status, timing, motion, scene, sensors, control");
}

/// One ControlRequest as JSON, answered by its ControlReply.
void Hub::control(const WebRequest& request, const security::Caller& caller, std::function<void(WebReply)> reply) {
  if (request.method != "POST") return reply(failure(405, "wants POST with a ControlRequest as JSON"));
  if (!request.content_type.starts_with("application/json")) {
    return reply(failure(415, "wants Content-Type: application/json"));  // which other sites' forms cannot send
  }
  v1::ControlRequest verb;
  const auto parsed = google::protobuf::util::JsonStringToMessage(request.body, &verb);
  if (!parsed.ok()) return reply(failure(400, "is no ControlRequest: " + std::string(parsed.message())));
  if (!security::permits(caller.role, verb.verb_case())) {
    return reply(failure(403, "the role " + std::string(security::name_of(caller.role)) + " does not permit that"));
  }
  control_client_.ask(std::move(verb), [reply = std::move(reply)](const v1::ControlReply& answer) {
    WebReply page = json(answer);
    if (answer.has_error()) page.status = status_of(answer.error().code());
    reply(std::move(page));
  });
}

bool Hub::is_fresh() const { return status_ns_ != 0 && rt::MonotonicClock().now_ns() - status_ns_ < kFresh_ns; }

v1::Status Hub::present_status() const {
  v1::Status status = status_;
  if (status_ns_ != 0 && !is_fresh()) status.set_state(v1::PLANT_STATE_DEAD);  // whatever it said last
  return status;
}

void Hub::look() {
  const bool is_silent = status_ns_ != 0 && !is_fresh();
  if (is_silent && !told_silence_) {
    v1::PageMessage message;
    *message.mutable_status() = present_status();
    tell_all(message);
  }
  told_silence_ = is_silent;
}

WebReply Hub::health() const {
  const bool is_well =
      is_fresh() && (status_.state() == v1::PLANT_STATE_RUNNING || status_.state() == v1::PLANT_STATE_PAUSED ||
                     status_.state() == v1::PLANT_STATE_STARTING);
  return {is_well ? 200U : 503U, "text/plain; charset=utf-8", is_well ? "ok\n" : "the plant is not well\n"};
}

std::string Hub::newest_sample() const {
  nlohmann::ordered_json sensors = nlohmann::ordered_json::object();
  for (int i = 0; i < description_.sensors_size() && i < frame_.value_size(); ++i) {
    sensors[description_.sensors(i).name()] = frame_.value(i);  // not a number becomes null
  }
  nlohmann::ordered_json all{{"step", frame_.step()}, {"time_s", frame_.time_s()}, {"flags", frame_.flags()}};
  all["sensors"] = std::move(sensors);
  return all.dump(2) + "\n";
}

}  // namespace kinloop::gateway
