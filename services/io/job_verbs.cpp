// Done in a thread of their own, with a plant of its own, from the plant's present state.
#include "services/io/job_verbs.hpp"

#include <algorithm>

#include "core/analysis/rollout.hpp"
#include "core/base/stepping_mode.hpp"
#include "services/io/twin.hpp"
#include "services/wire/linear_codec.hpp"

namespace kinloop::io {
namespace {

constexpr int kMaxSequences = 10'000;
constexpr std::int64_t kMaxRolloutSteps = 10'000'000;  // of all sequences together

Result<State> state_of(Twin& twin, const std::vector<double>& block, const v1::MotionState& motion, bool has_motion) {
  State state = twin.plant->initial_state();
  if (block.size() != static_cast<std::size_t>(state.block().size())) {
    return Error{"", "the plant's state has another size"};
  }
  std::copy(block.begin(), block.end(), state.block().data());
  if (!has_motion) return state;
  const Eigen::Map<const VectorX> q(motion.q().data(), motion.q_size());
  const Eigen::Map<const VectorX> v(motion.v().data(), motion.v_size());
  return state_from_motion(*twin.plant, state, q, v);
}

void rollout_to_wire(const RolloutResult& result, v1::RolloutResult& out) {
  out.mutable_outputs()->Assign(result.outputs.begin(), result.outputs.end());
  out.mutable_end()->mutable_q()->Assign(result.end.q().begin(), result.end.q().end());
  out.mutable_end()->mutable_v()->Assign(result.end.v().begin(), result.end.v().end());
  out.set_complete(result.complete);
}

struct RolloutSize {
  std::int64_t bytes = 0;         // of the answer, at most
  std::int64_t max_commands = 0;  // rows, in as many sequences, that would still fit
};

RolloutSize size_of(const v1::RolloutRequest& request, const LoadedRig& rig) {
  constexpr std::int64_t kNumber = sizeof(double);
  constexpr std::int64_t kTags = 64;  // and lengths: of a result, or of what is around them all
  const auto actuators = static_cast<std::int64_t>(rig.spec.plant.actuators.size());
  const std::int64_t row = kNumber * static_cast<std::int64_t>(rig.spec.plant.sensors.size());
  const std::int64_t end = kNumber * (rig.model.model.nq() + rig.model.model.nv());
  const std::int64_t around = kTags + request.sequences_size() * (end + kTags);
  std::int64_t rows = 0;
  for (const v1::CommandSequence& sequence : request.sequences()) rows += sequence.commands_size() / actuators;
  const std::int64_t left = static_cast<std::int64_t>(kMaxAnswerBytes) - around;
  return {around + rows * row, row > 0 ? std::max<std::int64_t>(0, left / row) : 0};
}

/// Commands of a request, or those in force.
StepInput input_of(const google::protobuf::RepeatedField<double>& commands, const rt::SnapshotBuffer& in_force) {
  StepInput input;
  input.count = in_force.actuators;
  for (std::size_t i = 0; i < input.count; ++i) {
    input.command[i] = commands.empty() ? in_force.policies[i].value : commands[static_cast<int>(i)];
  }
  return input;
}

}  // namespace

void JobVerbs::list(VerbTable& verbs) {
  verbs.add(Request::kLinearize, this, &JobVerbs::linearize);
  verbs.add(Request::kRollout, this, &JobVerbs::rollout);
  verbs.add(Request::kCancel, this, &JobVerbs::cancel);
}

void JobVerbs::linearize(const CallPtr& call) {
  const auto& commands = call->request.linearize().commands();
  const std::size_t actuators = parts_.rig.spec.plant.actuators.size();
  const bool fits = commands.empty() || static_cast<std::size_t>(commands.size()) == actuators;
  if (!fits) return refuse(call, v1::ERROR_CODE_INVALID, "one for each actuator, or none", "commands");
  const v1::LinearizeRequest& asked = call->request.linearize();
  const Result<LinearizeMethod> method = find_linearize_method(asked.method().empty() ? "exact" : asked.method());
  if (!method) return refuse(call, v1::ERROR_CODE_INVALID, method.error().what, "method");
  const LinearizeSettings settings{*method, {asked.independent().begin(), asked.independent().end()}};
  with_state(call, [this, call, settings](const rt::SnapshotBuffer& buffer, std::span<const double> block,
                                          std::uint64_t step) {
    call->reply.set_step(step);
    const StepInput input = input_of(call->request.linearize().commands(), buffer);
    const std::vector<double> copy(block.begin(), block.end());
    const auto work = [this, call, input, copy, settings,
                       tuned = parts_.live_parameters.changed()](const JobControl& control) {
      const SteppingMode floating_point;
      auto twin = make_twin(parts_.rig, parts_.rig_file, tuned);
      const auto fail = [this, call](const std::string& what) {
        parts_.tasks.post([this, call, what] { refuse(call, v1::ERROR_CODE_INVALID, what, "state"); });
      };
      if (control.cancelled)
        return parts_.tasks.post([this, call] { refuse(call, v1::ERROR_CODE_CANCELLED, "cancelled"); });
      if (!twin) return fail(twin.error().what);
      const v1::LinearizeRequest& request = call->request.linearize();
      const Result<State> state = state_of(**twin, copy, request.state(), request.has_state());
      if (!state) return fail(state.error().where + " " + state.error().what);
      const Result<Linearization> result = kinloop::linearize(*(*twin)->plant, *state, input, settings);
      if (!result) return fail(result.error().where + " " + result.error().what);
      wire::to_wire(*result, *call->reply.mutable_linearization());
      parts_.tasks.post([this, call, answer = serialise(*call)] { finish(call, answer); });
    };
    if (!parts_.jobs.add(call->key(), call->sender(), work)) {
      refuse(call, v1::ERROR_CODE_BUSY, "too many jobs wait already");
    }
  });
}

void JobVerbs::rollout(const CallPtr& call) {
  const v1::RolloutRequest& request = call->request.rollout();
  const auto actuators = static_cast<std::int64_t>(parts_.rig.spec.plant.actuators.size());
  const std::int64_t held = std::max(1U, request.steps_per_command());
  std::int64_t steps = 0;
  for (const v1::CommandSequence& sequence : request.sequences()) {
    if (actuators == 0 || sequence.commands_size() % actuators != 0) {
      return refuse(call, v1::ERROR_CODE_INVALID, "rows of one command for each actuator", "sequences");
    }
    steps += sequence.commands_size() / actuators * held;
  }
  if (request.sequences_size() == 0 || request.sequences_size() > kMaxSequences || steps > kMaxRolloutSteps) {
    return refuse(call, v1::ERROR_CODE_INVALID, "1 to 10000 sequences, up to 10 million steps in all", "sequences");
  }
  const RolloutSize size = size_of(request, parts_.rig);
  if (size.bytes > static_cast<std::int64_t>(kMaxAnswerBytes)) {
    return refuse(call, v1::ERROR_CODE_TOO_LARGE,
                  "the answer would have " + std::to_string(size.bytes) + " bytes, and may have " +
                      std::to_string(kMaxAnswerBytes) + ": in " + std::to_string(request.sequences_size()) +
                      " sequences up to " + std::to_string(size.max_commands) + " rows of commands in all",
                  "sequences");
  }
  with_state(call, [this, call, held](const rt::SnapshotBuffer& buffer, std::span<const double> block,
                                      std::uint64_t step) {
    call->reply.set_step(step);
    const std::vector<double> copy(block.begin(), block.end());
    const StepInput input = input_of({}, buffer);
    const auto work = [this, call, held, copy, input, tuned = parts_.live_parameters.changed()](JobControl& control) {
      const SteppingMode floating_point;
      const auto fail = [this, call](v1::ErrorCode code, const std::string& what) {
        parts_.tasks.post([this, call, code, what] { refuse(call, code, what); });
      };
      auto twin = make_twin(parts_.rig, parts_.rig_file, tuned);
      if (!twin) return fail(v1::ERROR_CODE_INTERNAL, twin.error().what);
      const v1::RolloutRequest& wanted = call->request.rollout();
      const Result<State> state = state_of(**twin, copy, wanted.state(), wanted.has_state());
      if (!state) return fail(v1::ERROR_CODE_INVALID, state.error().where + " " + state.error().what);
      RolloutPlan plan;
      plan.input = input;
      plan.steps_per_command = static_cast<int>(held);
      plan.cancelled = &control.cancelled;
      plan.pulse = &control.pulse;
      for (const v1::CommandSequence& sequence : wanted.sequences()) {
        plan.sequences.emplace_back(sequence.commands().begin(), sequence.commands().end());
      }
      const auto results = kinloop::rollout(*(*twin)->plant, *state, plan);
      if (control.cancelled) return fail(v1::ERROR_CODE_CANCELLED, "cancelled");
      if (!results) return fail(v1::ERROR_CODE_INVALID, results.error().where + " " + results.error().what);
      v1::RolloutReply& reply = *call->reply.mutable_rollout();
      for (const RolloutResult& result : *results) rollout_to_wire(result, *reply.add_results());
      parts_.tasks.post([this, call, answer = serialise(*call)] { finish(call, answer); });
    };
    if (!parts_.jobs.add(call->key(), call->sender(), work)) {
      refuse(call, v1::ERROR_CODE_BUSY, "too many jobs wait already");
    }
  });
}

void JobVerbs::cancel(const CallPtr& call) {
  const std::uint64_t key = call->key_of(call->request.cancel().request_id());
  const bool was_capture = parts_.capture.cancel(key);
  if (!parts_.jobs.cancel(key) && !was_capture) {
    return refuse(call, v1::ERROR_CODE_UNKNOWN_NAME, "nothing of that number is under way", "request_id");
  }
  call->reply.mutable_done();
  finish(call);
}

}  // namespace kinloop::io
