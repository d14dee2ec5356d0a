// What is known without asking the plant.
#include "services/io/query_verbs.hpp"

#include <algorithm>
#include <cmath>

#include "services/io/frame_publisher.hpp"

namespace kinloop::io {

void QueryVerbs::list(VerbTable& verbs) {
  verbs.add(Request::kDescribe, this, &QueryVerbs::describe);
  verbs.add(Request::kStatus, this, &QueryVerbs::status);
  verbs.add(Request::kTiming, this, &QueryVerbs::timing);
  verbs.add(Request::kSubscribe, this, &QueryVerbs::subscribe);
}

void QueryVerbs::describe(const CallPtr& call) {
  *call->reply.mutable_description() = parts_.description;
  finish(call);
}

void QueryVerbs::status(const CallPtr& call) {
  *call->reply.mutable_status() = parts_.status();
  finish(call);
}

void QueryVerbs::timing(const CallPtr& call) {
  *call->reply.mutable_timing() = parts_.timing();
  finish(call);
}

void QueryVerbs::subscribe(const CallPtr& call) {
  const double rate_hz = call->request.subscribe().rate_hz();
  const double all_hz = parts_.description.frame_rate_hz();
  if (!std::isfinite(rate_hz) || rate_hz < 0.0) {
    return refuse(call, v1::ERROR_CODE_INVALID, "a rate is positive, 0 stands for all frames", "rate_hz");
  }
  constexpr double kRounding = 1e-9;
  const double every = rate_hz == 0.0 ? 1.0 : std::ceil(all_hz / rate_hz * (1.0 - kRounding));
  const double bounded = std::clamp(every, 1.0, static_cast<double>(FramePublisher::kMaxEvery));
  call->reply.mutable_subscription()->set_topic(wire::frame_topic(static_cast<std::uint32_t>(bounded)));
  call->reply.mutable_subscription()->set_rate_hz(all_hz / bounded);
  finish(call);
}

}  // namespace kinloop::io
