// Owns CommandPolicy: which value each actuator gets in a tick, when commands are new, late, missing or nonsense.
//
// Age counts in ticks, so a run that is replayed comes to the same values. A command that is refused counts as none; so
// does one that gives an actuator no new value.
//
//   hold     the last value stays
//   zero     zero at once
//   ramp     towards zero, by ramp_per_tick in every tick
//   freeze   the last value stays, and the plant is to stand still
//
// An actuator that was made safe in one of these ways stays so, whatever commands arrive, until one re-arms it.
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/name_table.hpp"
#include "rt/messages/command.hpp"

namespace kinloop::rt {

enum class StaleKind { kHold, kZero, kRamp, kFreeze };

/// "hold", "zero", "ramp", "freeze".
std::string_view name_of(StaleKind kind) noexcept;
std::span<const KindName<StaleKind>> stale_names() noexcept;

struct CommandSettings {
  double lower = -std::numeric_limits<double>::infinity();  // commands beyond are refused
  double upper = std::numeric_limits<double>::infinity();
  double initial = 0.0;            // until the first command
  std::int64_t max_age_ticks = 0;  // of a command in force; one more makes the actuator safe; 0: commands do not age
  StaleKind when_stale = StaleKind::kHold;
  double ramp_per_tick = 0.0;
};

/// What decides about the next tick.
struct CommandState {
  double value = 0.0;
  std::int64_t age_ticks = 0;
  bool commanded = false;  // a first command came: only then its age counts
  bool safe = false;       // made so by age, until a command or a request re-arms it
  bool stopped = false;    // made so by an emergency stop, until a request re-arms it
};

/// Whether an actuator with these settings can have come to this value, or to an age: for states from outside. What was
/// made safe goes to zero, whether commands may be zero or not.
bool can_have_value(const CommandSettings& settings, double value) noexcept;
bool can_have_age(const CommandSettings& settings, const CommandState& state) noexcept;

/// Telemetry: it does not alter the future.
struct CommandCounters {
  std::int64_t accepted = 0;        // commands of which every value was taken
  std::int64_t damaged = 0;         // whose checksum was wrong: as if there were none
  std::int64_t of_other_count = 0;  // refused whole: not for this rig
  std::int64_t not_finite = 0;      // values refused
  std::int64_t out_of_range = 0;
  std::int64_t ignored_while_safe = 0;
  std::int64_t made_safe = 0;  // actuators, times
  std::int64_t rearmed = 0;
};

class CommandPolicy {
 public:
  explicit CommandPolicy(std::vector<CommandSettings> settings);

  /// The values for this tick from a new command, or from none; whether some value of it was taken. No allocation.
  bool resolve(const Command* fresh, std::span<double> values) noexcept;

  /// A command was not even looked at.
  void count_damaged() noexcept { ++counters_.damaged; }

  /// Actuators that were made safe may be moved again, at their own age from now on; bit i is actuator i.
  void rearm(std::uint64_t actuators) noexcept;
  /// All at once, as if their commands were too old, until they are re-armed; those that would hold go to zero.
  void make_safe() noexcept;

  /// Whether the plant is to stand still in this tick.
  bool freezes() const noexcept { return freezes_; }
  /// Bit i: actuator i is held by an emergency stop.
  std::uint64_t stopped() const noexcept;
  /// Whether that is so of all.
  bool is_stopped() const noexcept;
  /// Whether some actuator is safe.
  bool is_stale() const noexcept { return stale_; }
  const CommandCounters& counters() const noexcept { return counters_; }

  /// Whether actuator i can be in this state: see can_have_value(), can_have_age().
  bool accepts(std::size_t i, const CommandState& state) const noexcept {
    return can_have_value(settings_[i], state.value) && can_have_age(settings_[i], state);
  }
  /// To be kept and put back with the state of the plant.
  std::span<CommandState> states() noexcept { return states_; }

 private:
  bool is_given(const Command& command, std::size_t i) noexcept;
  bool take(const Command& command, std::size_t i) noexcept;
  void age(std::size_t i) noexcept;

  std::vector<CommandSettings> settings_;
  std::vector<CommandState> states_;
  std::vector<std::uint32_t> seen_;  // Command::given of what was looked at, in this epoch
  std::uint32_t epoch_ = 0;
  CommandCounters counters_;
  bool freezes_ = false, stale_ = false;
};

}  // namespace kinloop::rt
