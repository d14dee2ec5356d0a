// Owns RequestHandler: the socket "control" behind its bytes. Start reading at take(): checks, then a verb of a family.
#pragma once

#include "services/io/actuator_verbs.hpp"
#include "services/io/job_verbs.hpp"
#include "services/io/query_verbs.hpp"
#include "services/io/run_verbs.hpp"
#include "services/io/signal_verbs.hpp"
#include "services/io/state_verbs.hpp"
#include "services/wire/frame_codec.hpp"

namespace kinloop::io {

class RequestHandler {
 public:
  explicit RequestHandler(ControlParts parts);

  /// A message from the wire, whatever it holds.
  void take(const Envelope& from, wire::Bytes bytes, const security::Caller& caller, std::int64_t now_ns);
  std::int64_t refused() const noexcept { return replies_.refused(); }

 private:
  ControlParts parts_;
  Replies replies_;
  QueryVerbs queries_{parts_, replies_};
  ActuatorVerbs actuators_{parts_, replies_};
  RunVerbs run_{parts_, replies_};
  SignalVerbs signals_{parts_, replies_};
  StateVerbs states_{parts_, replies_};
  JobVerbs jobs_{parts_, replies_};
  VerbTable verbs_;
};

}  // namespace kinloop::io
