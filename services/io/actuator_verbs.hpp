// Owns the verbs about who commands the actuators, and whether they may move.
#pragma once

#include "services/io/verb_family.hpp"

namespace kinloop::io {

class ActuatorVerbs : public VerbFamily {
 public:
  using VerbFamily::VerbFamily;
  void list(VerbTable& verbs);

 private:
  void acquire(const CallPtr& call);
  void release(const CallPtr& call);
  void stop(const CallPtr& call);
  void rearm(const CallPtr& call);
};

}  // namespace kinloop::io
