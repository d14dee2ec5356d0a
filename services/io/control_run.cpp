// Verbs that drive the run: leases, pausing, stepping, resetting, records.
#include <algorithm>
#include <cmath>

#include "core/base/nearest_name.hpp"
#include "services/io/frame_publisher.hpp"
#include "services/io/request_handler.hpp"

namespace kinloop::io {
namespace {

constexpr double kPatienceWithSteps_s = 600.0;
constexpr std::uint64_t kMaxRunSteps = 10'000'000;
constexpr std::size_t kLongestNote = 4096;

/// The numbers of the named actuators, all without names; the first name that is unknown or there twice.
Result<std::vector<std::size_t>, std::string> numbers_of(const google::protobuf::RepeatedPtrField<std::string>& names,
                                                         const std::vector<ActuatorSpec>& actuators) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; names.empty() && i < actuators.size(); ++i) numbers.push_back(i);
  for (const std::string& name : names) {
    const auto found =
        std::find_if(actuators.begin(), actuators.end(), [&](const ActuatorSpec& spec) { return spec.name == name; });
    const auto number = static_cast<std::size_t>(found - actuators.begin());
    if (found == actuators.end() || std::count(numbers.begin(), numbers.end(), number) > 0) return name;
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

void RequestHandler::acquire(const CallPtr& call) {
  const v1::AcquireRequest& request = call->request.acquire();
  const std::vector<ActuatorSpec>& actuators = parts_.rig.spec.plant.actuators;
  const auto describe = [&](const Lease& lease) {
    v1::AcquireReply& reply = *call->reply.mutable_acquired();
    reply.set_lease(lease.id);
    reply.set_time_s(lease.time_s);
    for (const std::size_t i : lease.actuators) reply.add_actuators(actuators[i].name);
    finish(call);
  };
  if (request.lease() != 0) {
    if (const auto lease = parts_.commands.renew(request.lease(), call->now_ns)) return describe(*lease);
    return refuse(call, v1::ERROR_CODE_NO_LEASE, "there is no such lease, or it is over", "lease");
  }
  if (!std::isfinite(request.time_s()) || request.time_s() < 0.0 || request.time_s() > LeaseTable::kLongest_s) {
    return refuse(call, v1::ERROR_CODE_INVALID, "a lease lasts up to 60 s without a frame", "time_s");
  }
  const auto numbers = numbers_of(request.actuators(), actuators);
  if (!numbers) {
    return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME,
                  "no actuator is named " + in_quotes(numbers.error()) + ", or it is named twice", "actuators");
  }
  const std::string holder = !request.holder().empty() ? request.holder() : call->caller.name;
  const auto lease = parts_.commands.acquire(*numbers, holder, request.time_s(), call->now_ns);
  if (!lease) {
    const std::string& by = lease.error().holder;
    return refuse(call, v1::ERROR_CODE_LEASED,
                  in_quotes(actuators[lease.error().actuator].name) + " is commanded by " +
                      (by.empty() ? std::string("somebody else") : in_quotes(by)),
                  "actuators");
  }
  parts_.tell("leased", 0, static_cast<std::int64_t>(lease->actuators.size()), lease->holder);
  describe(*lease);
}

void RequestHandler::release(const CallPtr& call) {
  if (!parts_.commands.release(call->request.release().lease())) {
    return refuse(call, v1::ERROR_CODE_NO_LEASE, "there is no such lease", "lease");
  }
  parts_.tell("released", 0, 0, "");
  call->reply.mutable_done();
  finish(call);
}

/// Whether it was done; else the call is answered.
bool RequestHandler::judge(const CallPtr& call, const rt::Reply* reply) {
  if (reply == nullptr) {
    refuse(call, v1::ERROR_CODE_PLANT, "the plant did not answer in time");
    return false;
  }
  call->reply.set_step(reply->step);
  if (reply->status == rt::ReplyStatus::kDone) return true;
  switch (reply->status) {
    case rt::ReplyStatus::kNotNow:
      refuse(call, v1::ERROR_CODE_NOT_NOW, "only while the plant is paused, and one at a time: pause first");
      break;
    case rt::ReplyStatus::kFull:
      refuse(call, v1::ERROR_CODE_BUSY, "other changes wait for the next step: let it step, then try again");
      break;
    default:
      refuse(call, v1::ERROR_CODE_BUSY, "the plant has no room for more of these: clear some first");
  }
  return false;
}

void RequestHandler::ask_plant(const CallPtr& call, rt::Request request, double patience_s) {
  request.id = id_of(*call);
  const auto answer = [this, call](const rt::Reply* reply) {
    if (!judge(call, reply)) return;
    if (call->reply.answer_case() == v1::ControlReply::ANSWER_NOT_SET) call->reply.mutable_done();
    finish(call);
  };
  parts_.plant.ask(request, call->now_ns, answer, patience_s);
}

void RequestHandler::step(const CallPtr& call) {
  rt::Request request;
  request.kind = rt::RequestKind::kStep;
  request.number = call->request.step().steps();
  if (request.number == 0 || request.number > kMaxRunSteps) {
    return refuse(call, v1::ERROR_CODE_INVALID, "1 to 10 million steps at a time", "steps");
  }
  ask_plant(call, request, kPatienceWithSteps_s);
}

void RequestHandler::reset(const CallPtr& call) {
  rt::Request request;
  request.kind = rt::RequestKind::kReset;
  request.number = parts_.recorder.add_reset();
  ask_plant(call, request);
}

void RequestHandler::rearm(const CallPtr& call) {
  const auto numbers = numbers_of(call->request.rearm().actuators(), parts_.rig.spec.plant.actuators);
  if (!numbers) {
    return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, "no actuator is named " + in_quotes(numbers.error()), "actuators");
  }
  rt::Request request;
  request.kind = rt::RequestKind::kRearm;
  for (const std::size_t i : *numbers) request.number |= std::uint64_t{1} << i;
  ask_plant(call, request);
}

void RequestHandler::subscribe(const CallPtr& call) {
  const double rate_hz = call->request.subscribe().rate_hz();
  const double all_hz = parts_.description.frame_rate_hz();
  if (!std::isfinite(rate_hz) || rate_hz < 0.0) {
    return refuse(call, v1::ERROR_CODE_INVALID, "a rate is positive, 0 stands for all frames", "rate_hz");
  }
  constexpr double kRounding = 1e-9;
  const double every = rate_hz == 0.0 ? 1.0 : std::ceil(all_hz / rate_hz * (1.0 - kRounding));
  const double bounded = std::clamp(every, 1.0, static_cast<double>(FramePublisher::kMaxEvery));
  call->reply.mutable_subscription()->set_topic(frame_topic(static_cast<std::uint32_t>(bounded)));
  call->reply.mutable_subscription()->set_rate_hz(all_hz / bounded);
  finish(call);
}

void RequestHandler::record(const CallPtr& call) {
  const v1::RecordRequest& request = call->request.record();
  const auto answer = [this, call](const Result<RecordReport>& report) {
    if (!report) return refuse(call, v1::ERROR_CODE_NOT_NOW, report.error().what, "name");
    v1::RecordReply& reply = *call->reply.mutable_record();
    reply.set_file(report->file);
    reply.set_steps(report->steps);
    reply.set_dropped(report->dropped);
    finish(call);
  };
  if (request.stop()) return parts_.recorder.stop(call->now_ns, answer);
  parts_.recorder.start(request.name(), call->now_ns, answer);
}

void RequestHandler::note(const CallPtr& call) {
  const std::string& text = call->request.note().text();
  if (text.empty() || text.size() > kLongestNote) {
    return refuse(call, v1::ERROR_CODE_INVALID, "a note has 1 to 4096 bytes", "text");
  }
  parts_.tell("note", 0, 0, text);
  call->reply.mutable_done();
  finish(call);
}

}  // namespace kinloop::io
