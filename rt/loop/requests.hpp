// Owns Requests: what is done at the top of a tick because somebody asked for it, and the replies.
#pragma once

#include <cstdint>

#include "rt/loop/pending_changes.hpp"
#include "rt/loop/plant_exchange.hpp"
#include "rt/loop/publisher.hpp"
#include "rt/loop/replies.hpp"
#include "rt/loop/run_state.hpp"
#include "rt/loop/snapshots.hpp"
#include "rt/loop/stepped_plant.hpp"

namespace kinloop::rt {

class Requests {
 public:
  /// `exchange` may be null: then the plant is always this one.
  Requests(Mode mode, SteppedPlant& stepped, RunState& run, Publisher& publisher, PlantMemory& memory,
           DeferredSignal& client, PlantExchange* exchange);

  /// Takes over a plant with other parameters, then answers what was asked.
  void take() noexcept;
  /// What was asked for the next step, into its input.
  void add_changes(StepInput& input) noexcept { changes_.move_into(input); }
  /// What the next step begins with.
  const StepOrigin& origin() const noexcept { return snapshots_.origin(); }
  /// A step was done.
  void count_step() noexcept;
  /// The run ends: steps that were asked for are not done any more.
  void finish() noexcept;

 private:
  void adopt_plant() noexcept;
  bool takes_state_of(const PlantExchange::Offer& offer) noexcept;
  void answer(const Request& request) noexcept;
  bool was_answered(std::uint64_t id) noexcept;
  void pause() noexcept;
  void resume() noexcept;
  void end_steps() noexcept;
  ReplyStatus begin_steps(const Request& request) noexcept;
  ReplyStatus restore(std::uint64_t number) noexcept;
  ReplyStatus take_change(const StepChange& change) noexcept;

  Mode mode_;
  SteppedPlant& stepped_;
  RunState& run_;
  Publisher& publisher_;
  PlantMemory& memory_;
  PlantExchange* exchange_;
  Replies replies_;
  Snapshots snapshots_;
  PendingChanges changes_;
  std::uint64_t first_asked_step_ = 0, steps_asked_by_ = 0;  // of RunState::steps_left
};

}  // namespace kinloop::rt
