// Leases, the emergency stop and what ends it.
#include "services/io/actuator_verbs.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/nearest_name.hpp"

namespace kinloop::io {
namespace {

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

void ActuatorVerbs::list(VerbTable& verbs) {
  verbs.add(Request::kAcquire, this, &ActuatorVerbs::acquire);
  verbs.add(Request::kRelease, this, &ActuatorVerbs::release);
  verbs.add(Request::kRearm, this, &ActuatorVerbs::rearm);
  verbs.add(Request::kEmergencyStop, this, &ActuatorVerbs::stop);
}

void ActuatorVerbs::acquire(const CallPtr& call) {
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

void ActuatorVerbs::release(const CallPtr& call) {
  if (!parts_.commands.release(call->request.release().lease())) {
    return refuse(call, v1::ERROR_CODE_NO_LEASE, "there is no such lease", "lease");
  }
  parts_.tell("released", 0, 0, "");
  call->reply.mutable_done();
  finish(call);
}

void ActuatorVerbs::stop(const CallPtr& call) {
  rt::Request request;
  request.kind = rt::RequestKind::kMakeSafe;
  request.id = call->plant_id();
  parts_.plant.ask(request, call->now_ns, [this, call](const rt::Reply* reply) {
    if (!judge(call, reply)) return;
    call->reply.set_tick(parts_.plant.stop_tick());
    call->reply.mutable_done();
    finish(call);
  });
}

void ActuatorVerbs::rearm(const CallPtr& call) {
  const auto numbers = numbers_of(call->request.rearm().actuators(), parts_.rig.spec.plant.actuators);
  if (!numbers) {
    return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, "no actuator is named " + in_quotes(numbers.error()), "actuators");
  }
  if (!parts_.plant.rearms().may_rearm()) {
    return refuse(call, v1::ERROR_CODE_NOT_NOW,
                  "an emergency stop came while this waited for an io that stood still: look, and re-arm again");
  }
  rt::Request request;
  request.kind = rt::RequestKind::kRearm;
  for (const std::size_t i : *numbers) request.number |= std::uint64_t{1} << i;
  ask_plant(call, request);
}

}  // namespace kinloop::io
