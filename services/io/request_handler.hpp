// Owns RequestHandler: the verbs of the socket "control". Start reading at take(): checks, then one function a verb.
#pragma once

#include <kinloop/v1/control.pb.h>

#include <deque>
#include <functional>
#include <memory>

#include "services/io/capture.hpp"
#include "services/io/command_arbiter.hpp"
#include "services/io/job_thread.hpp"
#include "services/io/live_parameters.hpp"
#include "services/io/plant_channel.hpp"
#include "services/io/recorder.hpp"
#include "services/io/reply_cache.hpp"
#include "services/io/snapshot_trial.hpp"
#include "services/io/task_queue.hpp"
#include "services/security/role.hpp"
#include "services/wire/frame_codec.hpp"

namespace kinloop::io {

/// What the handler works with; all of it outlives the handler.
struct ControlParts {
  const LoadedRig& rig;
  std::filesystem::path rig_file;
  v1::Description& description;  // kept up to date by its owner
  rt::PlantMemory& memory;
  CommandArbiter& commands;
  PlantChannel& plant;
  Capture& capture;
  JobThread& jobs;
  JobThread& trials;  // of snapshots: they do not wait for jobs that take their time
  Recorder& recorder;
  TaskQueue& tasks;
  LiveParameters& live_parameters;
  std::function<void(const Envelope&, const v1::ControlReply&)> send;
  std::function<void(std::string_view kind, std::uint64_t step, std::int64_t value, const std::string& text)> tell;
  std::function<v1::Status()> status;
  std::function<v1::Timing()> timing;
};

class RequestHandler {
 public:
  explicit RequestHandler(ControlParts parts) : parts_(std::move(parts)), trial_(parts_.rig, parts_.rig_file) {}

  /// A message from the wire, whatever it holds.
  void take(const Envelope& from, Bytes bytes, const security::Caller& caller, std::int64_t now_ns);
  std::int64_t refused() const noexcept { return refused_; }

 private:
  /// A request that is being answered.
  struct Call {
    Envelope from;
    v1::ControlRequest request;
    v1::ControlReply reply;
    security::Caller caller;
    std::int64_t now_ns = 0;
  };
  using CallPtr = std::shared_ptr<Call>;
  /// What to do with a state of the plant.
  using WithState =
      std::function<void(const rt::SnapshotBuffer& buffer, std::span<const double> block, std::uint64_t step)>;

  void dispatch(const CallPtr& call);
  void finish(const CallPtr& call);
  void refuse(const CallPtr& call, v1::ErrorCode code, std::string message, std::string field = "");
  void turn_away(const CallPtr& call, v1::ErrorCode code, std::string message, std::string field = "");
  void answer_at_once(const CallPtr& call);

  // control_run.cpp
  void acquire(const CallPtr& call);
  void release(const CallPtr& call);
  void ask_plant(const CallPtr& call, rt::Request request, double patience_s = PlantChannel::kPatience_s);
  bool judge(const CallPtr& call, const rt::Reply* reply);
  void step(const CallPtr& call);
  void reset(const CallPtr& call);
  void rearm(const CallPtr& call);
  void subscribe(const CallPtr& call);
  void record(const CallPtr& call);
  void note(const CallPtr& call);

  // control_signals.cpp
  void inject_fault(const CallPtr& call);
  void clear_faults(const CallPtr& call);
  void override_signal(const CallPtr& call);
  void apply_force(const CallPtr& call);
  void capture(const CallPtr& call);
  void change_plant(const CallPtr& call, const StepChange& change);
  std::uint64_t steps_of(double duration_s) const;

  // control_states.cpp
  void set_parameters(const CallPtr& call);
  void get_parameters(const CallPtr& call);
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
  void with_state(const CallPtr& call, WithState use);

  // control_jobs.cpp
  void linearize(const CallPtr& call);
  void rollout(const CallPtr& call);
  void cancel(const CallPtr& call);

  static std::uint64_t key_of(std::uint64_t client, std::uint64_t request_id);
  /// For the plant, which does numbered requests once; 0 where it has no number.
  static std::uint64_t id_of(const Call& call);

  ControlParts parts_;
  SnapshotTrial trial_;  // used by parts_.trials alone
  ReplyCache answers_;
  std::int64_t refused_ = 0;
  std::uint64_t last_set_ = 0;                 // of parameters
  std::deque<std::function<void()>> tunings_;  // one at a time; the first is under way
};

}  // namespace kinloop::io
