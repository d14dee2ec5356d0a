// Owns the verbs that drive the run.
#pragma once

#include "services/io/verb_family.hpp"

namespace kinloop::io {

class RunVerbs : public VerbFamily {
 public:
  using VerbFamily::VerbFamily;
  void list(VerbTable& verbs);

 private:
  void step(const CallPtr& call);
  void reset(const CallPtr& call);
  void record(const CallPtr& call);
  void note(const CallPtr& call);
};

}  // namespace kinloop::io
