// Owns Snapshots: takes the plant's state out to shared memory, brings one back, and starts again from it.
#pragma once

#include <cstdint>

#include "rt/loop/pending_changes.hpp"
#include "rt/loop/plant_memory.hpp"
#include "rt/loop/stepped_plant.hpp"

namespace kinloop::rt {

/// What was put in place since the last step, for the journal; 0: nothing.
struct StepOrigin {
  std::uint64_t restored = 0, parameters = 0;  // numbers of the state and of the set of parameters
  bool parameters_last = false;                // of both
};

class Snapshots {
 public:
  /// The state that the plant has now is the one that reset() returns to.
  Snapshots(SteppedPlant& stepped, PlantMemory& memory);

  /// After so many steps, with the changes that wait.
  ReplyStatus export_snapshot(std::uint64_t steps, const PendingChanges& changes) noexcept;
  /// Takes a state of this plant out of the buffer, for restore(); refused, it alters nothing.
  ReplyStatus import_snapshot(const Plant& plant, PendingChanges& changes) noexcept;

  /// The state becomes the imported one, or the first one; `number` is what the journal calls it.
  void restore(std::uint64_t number) noexcept { restart_from(incoming_, number); }
  void reset(std::uint64_t number) noexcept { restart_from(first_, number); }
  /// A plant with other parameters is stepped: where it would start, and their number.
  void set_parameters(const State& first, std::uint64_t number) noexcept;

  const StepOrigin& origin() const noexcept { return origin_; }
  /// A step was done.
  void clear_origin() noexcept { origin_ = {}; }

 private:
  void restart_from(const State& start, std::uint64_t number) noexcept;

  SteppedPlant& stepped_;
  PlantMemory& memory_;
  State first_, incoming_;  // incoming_: what comes from outside, while it is looked at
  StepOrigin origin_;
};

}  // namespace kinloop::rt
