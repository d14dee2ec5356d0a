// Owns InputSource: where the inputs of steps come from: commands of a client, or a record.
#pragma once

#include <span>

#include "core/plant/step_input.hpp"
#include "rt/loop/plant_memory.hpp"
#include "rt/policies/command_policy.hpp"

namespace kinloop::rt {

/// What frames tell of the command in force.
struct CommandInForce {
  std::uint64_t sequence = 0;
  std::int64_t age_ticks = 0;
  bool stale = false;
};

class InputSource {
 public:
  virtual ~InputSource() = default;

  /// The input of the next step; `released_by` is the command that released it, in lockstep. False where there are no
  /// more steps. No allocation.
  virtual bool next(const Command* released_by, int level, StepInput& input) noexcept = 0;

  virtual CommandInForce in_force() const noexcept { return {}; }
  virtual CommandCounters counters() const noexcept { return {}; }

  virtual void rearm(std::uint64_t /*actuators*/) noexcept {}
  virtual void make_safe() noexcept {}
  /// Whether an emergency stop holds all actuators.
  virtual bool is_stopped() const noexcept { return false; }
  /// Whether memory()[i] can be this; for states from outside.
  virtual bool accepts(std::size_t /*i*/, const CommandState& /*state*/) const noexcept { return true; }
  /// What is remembered of commands: with the plant's state, all that alters the future.
  virtual std::span<CommandState> memory() noexcept { return {}; }
};

/// The newest command of a client, past the command policy.
class LiveInput final : public InputSource {
 public:
  LiveInput(std::vector<CommandSettings> settings, PlantMemory& memory);

  bool next(const Command* released_by, int level, StepInput& input) noexcept override;
  CommandInForce in_force() const noexcept override { return in_force_; }
  CommandCounters counters() const noexcept override { return policy_.counters(); }
  void rearm(std::uint64_t actuators) noexcept override { policy_.rearm(actuators); }
  void make_safe() noexcept override { policy_.make_safe(); }
  bool is_stopped() const noexcept override { return policy_.is_stopped(); }
  bool accepts(std::size_t i, const CommandState& state) const noexcept override { return policy_.accepts(i, state); }
  std::span<CommandState> memory() noexcept override { return policy_.states(); }

 private:
  CommandPolicy policy_;
  PlantMemory& memory_;
  std::uint32_t count_;
  Command command_;
  CommandInForce in_force_;
};

/// What was recorded; commands are not looked at.
class RecordedInput final : public InputSource {
 public:
  explicit RecordedInput(std::span<const JournalEntry> entries) noexcept : entries_(entries) {}

  bool next(const Command* released_by, int level, StepInput& input) noexcept override;

 private:
  std::span<const JournalEntry> entries_;
  std::size_t next_ = 0;
};

}  // namespace kinloop::rt
