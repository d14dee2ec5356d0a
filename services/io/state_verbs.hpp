// Owns the verbs about states and parameters of the plant.
#pragma once

#include <deque>
#include <functional>

#include "services/io/snapshot_trial.hpp"
#include "services/io/verb_family.hpp"

namespace kinloop::io {

class StateVerbs : public VerbFamily {
 public:
  StateVerbs(const ControlParts& parts, Replies& replies)
      : VerbFamily(parts, replies), trial_(parts.rig, parts.rig_file) {}
  void list(VerbTable& verbs);

 private:
  void get_parameters(const CallPtr& call);
  void set_parameters(const CallPtr& call);
  void snapshot(const CallPtr& call);
  void restore(const CallPtr& call);
  bool are_sound(const CallPtr& call, const ParameterList& parameters, const char* field);
  void put_back(const CallPtr& call);
  void refuse_state(const CallPtr& call);
  void tune(std::function<void()> begin);
  void begin_tuning(const CallPtr& call, const ParameterList& changed, BroughtState state,
                    const std::function<void()>& fill);
  void next_tuning();
  void list_in_description();

  SnapshotTrial trial_;                        // used by parts_.trials alone
  std::uint64_t last_set_ = 0;                 // of parameters
  std::deque<std::function<void()>> tunings_;  // one at a time; the first is under way
};

}  // namespace kinloop::io
