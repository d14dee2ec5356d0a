// What the loop does at the top of a tick, before it steps: requests, and a plant with other parameters.
#include <algorithm>
#include <cmath>

#include "rt/loop/loop.hpp"
#include "rt/messages/state_hash.hpp"

namespace kinloop::rt {
namespace {

constexpr int kMaxRequests = 64;  // taken in one iteration

constexpr std::int64_t kMaxAge_ticks = std::int64_t{1} << 53;  // of a command; counting on does not overflow

bool is_sound(const CommandState& state) noexcept {
  return std::isfinite(state.value) && state.age_ticks >= 0 && state.age_ticks <= kMaxAge_ticks;
}

bool needs_room(const StepChange& change) noexcept {
  return change.kind == ChangeKind::kForce ||
         (change.kind == ChangeKind::kFault && change.fault == SignalFault::kDelay);
}

}  // namespace

void Loop::adopt_plant() noexcept {
  const PlantExchange::Offer* offer = exchange_ != nullptr ? exchange_->look() : nullptr;
  if (offer == nullptr) return;
  const bool has_state = offer->state != 0;
  // The journal tells one of each a step; a plant that brings its state replaces whatever came before it.
  if (!has_state && restored_ != 0 && parameters_ != 0) return;
  exchange_->take();
  if (has_state && !takes_state_of(*offer)) return exchange_->give_back(*offer->plant);
  Plant* old = std::exchange(plant_, offer->plant);
  old->set_watch(nullptr);
  plant_->set_watch(&phases_);
  first_.block() = offer->first->block();
  parameters_ = offer->number;
  note(EventKind::kParameters, static_cast<std::int64_t>(offer->number));
  if (has_state) {
    restart_from(incoming_, EventKind::kRestored, offer->state);
  } else {
    state_.set_history_count(0);  // samples of another mechanism
    parameters_last_ = restored_ != 0;
  }
  reply(offer->request, ReplyStatus::kDone, state_.step() + 1);
  exchange_->give_back(*old);
}

/// Whether the state in the buffer is one of the offered plant, and is in incoming_; else the request is answered.
bool Loop::takes_state_of(const PlantExchange::Offer& offer) noexcept {
  if (answer_again(offer.request)) return false;  // it was done
  const ReplyStatus status = import_snapshot(*offer.plant);
  if (status != ReplyStatus::kDone) reply(offer.request, status, state_.step() + 1);
  return status == ReplyStatus::kDone;
}

void Loop::take_requests() noexcept {
  Request request;
  for (int i = 0; i < kMaxRequests && memory_.requests.pop(request); ++i) answer(request);
}

void Loop::answer(const Request& request) noexcept {
  if (answer_again(request.id)) return;
  ReplyStatus status = ReplyStatus::kDone;
  std::uint64_t step = state_.step() + 1;
  switch (request.kind) {
    case RequestKind::kPause:
      pause();
      break;
    case RequestKind::kResume:
      resume();
      break;
    case RequestKind::kStep:
      status = begin_steps(request);
      if (status == ReplyStatus::kDone) return;  // answered when they are done
      break;
    case RequestKind::kReset:
      incoming_.block() = first_.block();
      next_.changes = 0;
      restart_from(incoming_, EventKind::kReset, request.number);
      step = state_.step() + 1;
      break;
    case RequestKind::kSnapshot:
      status = export_snapshot();
      step = state_.step();
      break;
    case RequestKind::kRestore:
      status = import_snapshot(*plant_);
      if (status == ReplyStatus::kDone) restart_from(incoming_, EventKind::kRestored, request.number);
      step = state_.step() + 1;
      break;
    case RequestKind::kChange:
      status = take_change(request.change);
      break;
    case RequestKind::kRearm:
      input_.rearm(request.number);
      note(EventKind::kRearmed, static_cast<std::int64_t>(request.number));
      break;
    case RequestKind::kMakeSafe:
      input_.make_safe();
      note(EventKind::kMadeSafe, 0);
      break;
    case RequestKind::kJournal:
      settings_.journal = request.number != 0 ? Journal::kKept : Journal::kNone;
      break;
    case RequestKind::kStop:
      end_with(LoopEnd::kStopped);
      break;
    default:  // whatever wrote it is not ours
      status = ReplyStatus::kRefused;
  }
  reply(request.id, status, step);
}

bool Loop::answer_again(std::uint64_t id) noexcept {
  if ((id & Request::kNumbered) == 0) return false;
  if (steps_left_ > 0 && id == steps_asked_by_) return true;  // it will be
  const auto earlier = std::find_if(answered_.begin(), answered_.end(), [&](const Reply& r) { return r.id == id; });
  if (earlier == answered_.end()) return false;
  memory_.replies.push(*earlier);
  must_notify_ = true;
  return true;
}

void Loop::reply(std::uint64_t id, ReplyStatus status, std::uint64_t step) noexcept {
  if ((id & Request::kNumbered) != 0 && status != ReplyStatus::kFull) {
    answered_[next_answered_++ % answered_.size()] = {id, status, 0, step};
  }
  memory_.replies.push({id, status, 0, step});  // full: nobody listens
  must_notify_ = true;
}

void Loop::pause() noexcept {
  if (std::exchange(steps_left_, 0) > 0) reply(steps_asked_by_, ReplyStatus::kDone, first_asked_step_);
  if (paused_) return;
  note(EventKind::kPaused, 0);
  paused_ = true;
  publish_status();  // before the answer
}

void Loop::resume() noexcept {
  if (!paused_) return;
  if (std::exchange(steps_left_, 0) > 0) reply(steps_asked_by_, ReplyStatus::kDone, first_asked_step_);
  note(EventKind::kResumed, 0);
  paused_ = false;
  resumed_ = true;
  overrun_.restart_at(clock_.now_ns() + settings_.period_ns);
  memory_.timing.interrupt();
}

ReplyStatus Loop::begin_steps(const Request& request) noexcept {
  const bool may = paused_ || settings_.mode == Mode::kLockstep;
  if (!may || steps_left_ > 0) return ReplyStatus::kNotNow;
  if (request.number == 0) return ReplyStatus::kRefused;
  steps_left_ = request.number;
  steps_asked_by_ = request.id;
  first_asked_step_ = state_.step() + 1;
  return ReplyStatus::kDone;
}

ReplyStatus Loop::take_change(const StepChange& change) noexcept {
  if (!plant_->can_apply(change, state_)) return ReplyStatus::kRefused;
  // What needs room is judged by the state, which does not know of changes that wait: such come alone.
  if (next_.changes == kMaxChanges || (next_.changes > 0 && needs_room(change))) return ReplyStatus::kFull;
  next_.change[next_.changes++] = change;
  note(EventKind::kChanged, static_cast<std::int64_t>(change.kind));
  return ReplyStatus::kDone;
}

ReplyStatus Loop::export_snapshot() noexcept {
  const std::span<double> block = outgoing_block(memory_);
  const std::span<const CommandState> policies = input_.memory();
  if (block.size() != static_cast<std::size_t>(state_.block().size())) return ReplyStatus::kRefused;
  std::copy_n(state_.block().data(), block.size(), block.data());
  memory_.outgoing.state_hash = state_hash(state_);
  memory_.outgoing.actuators = static_cast<std::uint32_t>(policies.size());
  std::copy(policies.begin(), policies.end(), memory_.outgoing.policies.begin());
  memory_.outgoing.count = steps_;
  memory_.outgoing.changes = next_.changes;
  memory_.outgoing.change = next_.change;
  return ReplyStatus::kDone;
}

/// Into incoming_, as a state of this plant; what is judged is what is used, whatever happens to the buffer meanwhile.
ReplyStatus Loop::import_snapshot(const Plant& plant) noexcept {
  const std::span<const double> block = incoming_block(memory_);
  const std::span<CommandState> policies = input_.memory();
  if (block.size() != static_cast<std::size_t>(incoming_.block().size())) return ReplyStatus::kRefused;
  const SnapshotBuffer buffer = memory_.incoming;
  std::copy_n(block.data(), block.size(), incoming_.block().data());
  const bool is_whole = buffer.actuators == policies.size() && buffer.changes <= kMaxChanges &&
                        buffer.state_hash == state_hash(incoming_) &&
                        std::all_of(buffer.policies.begin(), buffer.policies.begin() + buffer.actuators, is_sound) &&
                        plant.accepts({incoming_.block().data(), block.size()});
  if (!is_whole) return ReplyStatus::kRefused;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (!policies[i].stopped) policies[i] = buffer.policies[i];  // no snapshot lifts an emergency stop
  }
  next_.changes = buffer.changes;
  next_.change = buffer.change;
  return ReplyStatus::kDone;
}

void Loop::restart_from(const State& start, EventKind why, std::uint64_t number) noexcept {
  state_.block() = start.block();
  restored_ = number;
  parameters_last_ = false;
  fault_.recover();
  note(why, static_cast<std::int64_t>(state_.step()));
}

}  // namespace kinloop::rt
