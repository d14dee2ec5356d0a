// Owns the verbs that take their time.
#pragma once

#include <optional>

#include "services/io/twin.hpp"
#include "services/io/verb_family.hpp"

namespace kinloop::io {

class JobVerbs : public VerbFamily {
 public:
  using VerbFamily::VerbFamily;
  void list(VerbTable& verbs);

 private:
  struct Refusal {
    v1::ErrorCode code;
    std::string what;
    std::string field;
  };
  /// What the job begins with: a plant of its own in the state that is asked for, and what the running one had.
  struct Start {
    Twin& twin;
    const State& state;
    const StepInput& input;  // commands in force
    const rt::SnapshotBuffer& buffer;
    std::uint64_t step;
    JobControl& control;
  };
  /// Writes the reply of the call, in the thread of jobs.
  using Job = std::function<std::optional<Refusal>(const CallPtr& call, const Start& start)>;

  static std::optional<Refusal> roll_out_with_gradients(const v1::RolloutRequest& wanted, std::int64_t held,
                                                        const Start& start, v1::RolloutReply& reply);

  void linearize(const CallPtr& call);
  void linearize_trajectory(const CallPtr& call);
  void rollout(const CallPtr& call);
  void trim(const CallPtr& call);
  void cancel(const CallPtr& call);
  /// `motion`: of the request; null: the plant's present state.
  void add_job(const CallPtr& call, const v1::MotionState* motion, Job job);
};

}  // namespace kinloop::io
