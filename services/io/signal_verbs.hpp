// Owns the verbs that reach into signals and bodies.
#pragma once

#include "services/io/verb_family.hpp"

namespace kinloop::io {

class SignalVerbs : public VerbFamily {
 public:
  using VerbFamily::VerbFamily;
  void list(VerbTable& verbs);

 private:
  void inject_fault(const CallPtr& call);
  void clear_faults(const CallPtr& call);
  void override_signal(const CallPtr& call);
  void apply_force(const CallPtr& call);
  void capture(const CallPtr& call);
  void change_plant(const CallPtr& call, const StepChange& change);
  std::uint64_t steps_of(double duration_s) const;
};

}  // namespace kinloop::io
