// Owns RequestHandler: the socket "control" behind its bytes. Start reading at take(): checks, then a verb of a family.
#pragma once

#include <optional>
#include <string>

#include "services/io/actuator_verbs.hpp"
#include "services/io/connection_quotas.hpp"
#include "services/io/job_verbs.hpp"
#include "services/io/query_verbs.hpp"
#include "services/io/run_verbs.hpp"
#include "services/io/signal_verbs.hpp"
#include "services/io/state_verbs.hpp"
#include "services/wire/frame_codec.hpp"
#include "services/wire/request_head.hpp"

namespace kinloop::io {

struct Message {
  Envelope from;
  wire::Bytes bytes;
  std::optional<wire::RequestHead> head;  // nothing: the bytes are no request
  security::Caller caller;
  net::Connection connection;
  std::int64_t now_ns = 0;
};

class RequestHandler {
 public:
  explicit RequestHandler(ControlParts parts);

  /// A message from the wire, whatever it holds: who may not ask is turned away before its body is read.
  void take(const Message& message);
  /// Answers as busy, without looking at more than the head.
  void turn_away(const Envelope& from, const wire::RequestHead& head, std::string why);
  /// Ends what those have under way who left since. Now and then.
  void end_departed();
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
  ConnectionQuotas quotas_;
};

}  // namespace kinloop::io
