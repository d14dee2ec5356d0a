// Owns the verbs that take their time.
#pragma once

#include "services/io/verb_family.hpp"

namespace kinloop::io {

class JobVerbs : public VerbFamily {
 public:
  using VerbFamily::VerbFamily;
  void list(VerbTable& verbs);

 private:
  void linearize(const CallPtr& call);
  void rollout(const CallPtr& call);
  void cancel(const CallPtr& call);
};

}  // namespace kinloop::io
