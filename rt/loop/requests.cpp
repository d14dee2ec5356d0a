// Carries out requests at the top of a tick, one case a kind.
#include "rt/loop/requests.hpp"

#include <utility>

namespace kinloop::rt {
namespace {

constexpr int kMaxRequests = 64;  // taken in one iteration

}  // namespace

Requests::Requests(Mode mode, SteppedPlant& stepped, RunState& run, Publisher& publisher, PlantMemory& memory,
                   DeferredSignal& client, PlantExchange* exchange)
    : mode_(mode),
      stepped_(stepped),
      run_(run),
      publisher_(publisher),
      memory_(memory),
      exchange_(exchange),
      replies_(memory.replies, client),
      snapshots_(stepped, memory) {}

void Requests::take() noexcept {
  adopt_plant();
  Request request;
  for (int i = 0; i < kMaxRequests && memory_.requests.pop(request); ++i) answer(request);
}

void Requests::count_step() noexcept {
  ++run_.steps;
  snapshots_.clear_origin();
  if (run_.steps_left > 0 && --run_.steps_left == 0) {
    replies_.send(steps_asked_by_, ReplyStatus::kDone, first_asked_step_);
  }
}

void Requests::finish() noexcept {
  if (run_.steps_left > 0) replies_.send(steps_asked_by_, ReplyStatus::kNotNow, first_asked_step_);
}

void Requests::adopt_plant() noexcept {
  const PlantExchange::Offer* offer = exchange_ != nullptr ? exchange_->look() : nullptr;
  if (offer == nullptr) return;
  const bool has_state = offer->state != 0;
  // The journal tells one of each a step; a plant that brings its state replaces whatever came before it.
  if (!has_state && origin().restored != 0 && origin().parameters != 0) return;
  exchange_->take();
  if (has_state && !takes_state_of(*offer)) return exchange_->give_back(*offer->plant);
  Plant& old = stepped_.replace(*offer->plant);
  snapshots_.set_parameters(*offer->first, offer->number);
  publisher_.note(EventKind::kParameters, static_cast<std::int64_t>(offer->number));
  State& state = stepped_.state;
  if (has_state) {
    snapshots_.restore(offer->state);
    publisher_.note(EventKind::kRestored, static_cast<std::int64_t>(state.step()));
  } else {
    state.set_history_count(0);  // samples of another mechanism
  }
  replies_.send(offer->request, ReplyStatus::kDone, state.step() + 1);
  exchange_->give_back(old);
}

/// Whether the state in the buffer is one of the offered plant, and was imported; else the request is answered.
bool Requests::takes_state_of(const PlantExchange::Offer& offer) noexcept {
  if (was_answered(offer.request)) return false;
  const ReplyStatus status = snapshots_.import_snapshot(*offer.plant, changes_);
  if (status != ReplyStatus::kDone) replies_.send(offer.request, status, stepped_.state.step() + 1);
  return status == ReplyStatus::kDone;
}

void Requests::answer(const Request& request) noexcept {
  if (was_answered(request.id)) return;
  ReplyStatus status = ReplyStatus::kDone;
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
      changes_.count = 0;
      snapshots_.reset(request.number);
      publisher_.note(EventKind::kReset, static_cast<std::int64_t>(stepped_.state.step()));
      break;
    case RequestKind::kSnapshot:
      status = snapshots_.export_snapshot(run_.steps, changes_);
      return replies_.send(request.id, status, stepped_.state.step());
    case RequestKind::kRestore:
      status = restore(request.number);
      break;
    case RequestKind::kChange:
      status = take_change(request.change);
      break;
    case RequestKind::kRearm:
      stepped_.input.rearm(request.number);
      publisher_.note(EventKind::kRearmed, static_cast<std::int64_t>(request.number));
      break;
    case RequestKind::kMakeSafe:
      stepped_.input.make_safe();
      publisher_.note(EventKind::kMadeSafe, 0);
      break;
    case RequestKind::kJournal:
      publisher_.keep_journal(request.number != 0 ? Journal::kKept : Journal::kNone);
      break;
    case RequestKind::kStop:
      run_.end_with(LoopEnd::kStopped);
      break;
    default:  // whatever wrote it is not ours
      status = ReplyStatus::kRefused;
  }
  replies_.send(request.id, status, stepped_.state.step() + 1);
}

/// Or will be, without being done again.
bool Requests::was_answered(std::uint64_t id) noexcept {
  const bool is_being_done = (id & Request::kNumbered) != 0 && run_.steps_left > 0 && id == steps_asked_by_;
  return is_being_done || replies_.send_again(id);
}

void Requests::pause() noexcept {
  end_steps();
  if (run_.paused) return;
  publisher_.note(EventKind::kPaused, 0);
  run_.paused = true;
  publisher_.publish_status();  // before the answer
}

void Requests::resume() noexcept {
  if (!run_.paused) return;
  end_steps();
  publisher_.note(EventKind::kResumed, 0);
  run_.paused = false;
  run_.resumed = true;
}

/// Those that are left are not done.
void Requests::end_steps() noexcept {
  if (std::exchange(run_.steps_left, 0) == 0) return;
  replies_.send(steps_asked_by_, ReplyStatus::kDone, first_asked_step_);
}

ReplyStatus Requests::begin_steps(const Request& request) noexcept {
  const bool may = run_.paused || mode_ == Mode::kLockstep;
  if (!may || run_.steps_left > 0) return ReplyStatus::kNotNow;
  if (request.number == 0) return ReplyStatus::kRefused;
  run_.steps_left = request.number;
  steps_asked_by_ = request.id;
  first_asked_step_ = stepped_.state.step() + 1;
  return ReplyStatus::kDone;
}

ReplyStatus Requests::restore(std::uint64_t number) noexcept {
  const ReplyStatus status = snapshots_.import_snapshot(*stepped_.plant, changes_);
  if (status != ReplyStatus::kDone) return status;
  snapshots_.restore(number);
  publisher_.note(EventKind::kRestored, static_cast<std::int64_t>(stepped_.state.step()));
  return status;
}

ReplyStatus Requests::take_change(const StepChange& change) noexcept {
  const ReplyStatus status = changes_.add(change, *stepped_.plant, stepped_.state);
  if (status == ReplyStatus::kDone) publisher_.note(EventKind::kChanged, static_cast<std::int64_t>(change.kind));
  return status;
}

}  // namespace kinloop::rt
