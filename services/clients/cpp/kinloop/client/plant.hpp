// Owns Plant: the connection of a client to one running plant. Commands in, sensor frames out, everything around them.
//
//   auto plant = kinloop::client::Plant::connect("four_bar");
//   if (!plant) return fail(plant.error().message);
//   plant->acquire({"motor"});
//   while (const auto* frame = plant->recv(100ms)) plant->send({controller(frame->value(0))});
#pragma once

#include <kinloop/v1/control.pb.h>
#include <kinloop/v1/frames.pb.h>
#include <kinloop/client/options.hpp>
#include <kinloop/client/result.hpp>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kinloop::client {

/// Not thread-safe: one thread at a time uses a Plant; a second thread makes a Plant of its own. Every call ends within
/// its timeout. The plant's io process may die and come back: the sockets connect again by themselves, what was on the
/// way is lost, and leases are (see Options::when_lease_is_lost).
class Plant {
 public:
  using Milliseconds = std::chrono::milliseconds;
  using Seconds = std::chrono::duration<double>;

  /// `plant`: empty (the only one that runs here), a rig's name, "<rig>-<pid>", or the address of a control socket.
  static Result<Plant> connect(const std::string& plant = {}, Options options = {});
  Plant(Plant&&) noexcept;
  Plant& operator=(Plant&&) noexcept;
  ~Plant();

  // What it is.

  const v1::Description& description() const noexcept;
  /// Asks again: needed where the rig changed behind the address (frames are then refused as of another schema).
  Result<Effect> describe();
  /// Positions in send() and in a frame's values; nothing where there is no such name.
  std::optional<int> find_actuator(std::string_view name) const noexcept;
  std::optional<int> find_sensor(std::string_view name) const noexcept;

  // Frames. In steady state these allocate nothing of their own.

  /// The right to command these actuators (none: all). It ends when no frame was sent for `time`: frames renew it.
  /// Gives the names in the order of send().
  Result<Lease> acquire(const std::vector<std::string>& actuators = {}, Seconds time = Seconds(1.0));
  /// For those who hold a lease but send nothing for a while.
  Result<Effect> renew();
  Result<Effect> release();
  const Lease& lease() const noexcept;
  /// Whether the frames of the lease travel by shared memory now; without a lease, whether they would.
  bool uses_shared_memory() const noexcept;

  /// Commands for the actuators of the lease, SI units; gives the number of the frame, which comes back as
  /// SensorFrame.command_sequence. Never waits, but to acquire a lost lease again. Outside lockstep the plant tells of
  /// refusals only, and later: kRefused is about an earlier frame, and this one was sent all the same.
  /// `rearm`: bit i lets actuator i of the lease move again after it was made safe.
  Result<std::uint64_t> send(std::span<const double> values, std::uint64_t rearm = 0);
  Result<std::uint64_t> send(std::initializer_list<double> values, std::uint64_t rearm = 0) {
    return send(std::span<const double>(values.begin(), values.size()), rearm);
  }
  /// A frame, or nullptr if none came in time. It stays valid until the next recv() or step(). Subscribes when first
  /// called; frames of before are not seen. Messages that are no frame of this plant are counted and passed over.
  const v1::SensorFrame* recv(Milliseconds timeout, Which which = Which::kNewest);
  /// Lockstep: sends the commands, waits for the end of the step that they release; where io is being restarted, for
  /// that too.
  Result<const v1::SensorFrame*> step(std::span<const double> values, std::uint64_t rearm = 0);
  Result<const v1::SensorFrame*> step(std::initializer_list<double> values, std::uint64_t rearm = 0) {
    return step(std::span<const double>(values.begin(), values.size()), rearm);
  }
  /// From now on recv() sees frames at this rate or the nearest lower one (0: all); gives that rate.
  Result<double> subscribe(double rate_hz);
  const Counters& counters() const noexcept;

  /// What the plant tells unasked; nothing if it told nothing in time. Subscribes when first called.
  std::optional<Event> recv_event(Milliseconds timeout);

  // Control. Each is asked again with the same number until it is answered or time is over, so that it is done once.

  Result<v1::Status> status();
  Result<v1::Timing> timing();
  Result<Effect> start();
  Result<Effect> pause();
  Result<Effect> resume();
  /// While it is paused.
  Result<Effect> step_n(std::uint64_t steps);
  Result<Effect> reset();
  /// Texts as in a model's file: {"rod_mass", "2.5 kg"}.
  Result<Effect> set_parameters(const std::vector<std::pair<std::string, std::string>>& values);
  Result<std::vector<std::pair<std::string, std::string>>> get_parameters(const std::vector<std::string>& names = {});
  Result<v1::Snapshot> snapshot();
  Result<Effect> restore(const v1::Snapshot& snapshot);
  /// The meaning of `value` depends on the kind (InjectFaultRequest); a time of 0: until it is cleared.
  Result<FaultEffect> inject_fault(const std::string& signal, v1::FaultKind kind, double value = 0.0,
                                   Seconds time = Seconds(0.0));
  /// Empty: all faults, overrides and forces.
  Result<Effect> clear_faults(const std::string& signal = {});
  Result<Effect> override_signal(const std::string& signal, double value, Seconds time = Seconds(0.0));
  Result<Effect> end_override(const std::string& signal);
  Result<Effect> apply_force(const Push& push);
  /// Waits until the condition was met, at most `patience`.
  Result<v1::CaptureReply> capture(const Trigger& trigger);
  /// None: all.
  Result<Effect> rearm(const std::vector<std::string>& actuators = {});
  /// Through io and at the supervisor's stop socket at once, again and again until one of them confirms it: the first
  /// that arrives counts, and io may be dead. Everybody who is let in may stop.
  Result<Effect> emergency_stop();
  /// Around the present state and commands where the request is empty.
  Result<v1::LinearizeReply> linearize(const v1::LinearizeRequest& around = {});
  /// With a cost in it, results have their gradients.
  Result<v1::RolloutReply> rollout(const v1::RolloutRequest& sequences);
  /// A long way in as many requests as its matrices need, each going on where the one before it ended, from the
  /// plant's state at the first.
  Result<v1::LinearizeTrajectoryReply> linearize_trajectory(const v1::LinearizeTrajectoryRequest& way);
  /// Where it would stand still; restore() the answer's snapshot to go there.
  Result<v1::TrimReply> trim(const v1::TrimRequest& given = {});
  Result<v1::RecordReply> start_record(const std::string& name = {});
  Result<v1::RecordReply> stop_record();
  Result<Effect> note(const std::string& text);
  /// Of a linearize, linearize_trajectory, trim, rollout or capture of this client (see Options::gives_up).
  Result<Effect> cancel(std::uint64_t request_id);
  Result<Effect> shutdown();

  /// Any request, with its answer as it came; refusals are errors here too. Version, client and number are filled in.
  /// `timeout` 0: that of the options.
  Result<v1::ControlReply> request(v1::ControlRequest request, Milliseconds timeout = Milliseconds(0));

 private:
  struct Parts;
  explicit Plant(std::unique_ptr<Parts> parts) noexcept;
  Result<Effect> effect_of(v1::ControlRequest asked);

  std::unique_ptr<Parts> parts_;
};

}  // namespace kinloop::client
