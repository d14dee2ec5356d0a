// Applies faults and overrides to readings and commands, signal by signal.
#include "core/plant/signal_faults.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/name_table.hpp"
#include "core/math/counter_noise.hpp"

namespace kinloop {
namespace {

constexpr NameTable kNames("fault",
                           std::array{KindName{SignalFault::kNone, "none"}, KindName{SignalFault::kOff, "off"},
                                      KindName{SignalFault::kStuck, "stuck"}, KindName{SignalFault::kBias, "bias"},
                                      KindName{SignalFault::kDrift, "drift"}, KindName{SignalFault::kNoise, "noise"},
                                      KindName{SignalFault::kWrongSign, "wrong_sign"},
                                      KindName{SignalFault::kDelay, "delay"}, KindName{SignalFault::kDrop, "drop"}});

// Apart from the purposes of the sensors' own noise.
enum Purpose : std::uint32_t { kFaultNoise = 16, kFaultDrop = 17 };

// Of a signal's slot.
enum : int {
  kKind,
  kValue,
  kBegin,
  kEnd,
  kHasHeld,
  kHeld,
  kOverrideOn,
  kOverrideValue,
  kOverrideEnd,
  kLine,
  kSlotSize
};

/// `end` 0: for ever.
bool lasts(double end, std::uint64_t step) noexcept { return end == 0.0 || static_cast<double>(step) < end; }

double end_of(std::uint64_t begin, std::uint64_t steps) noexcept {
  return steps == 0 ? 0.0 : static_cast<double>(begin) + static_cast<double>(steps);
}

bool is_whole(double x, double most) noexcept { return x >= 0.0 && x <= most && x == std::floor(x); }

SignalFault fault_in(const double* slot, std::uint64_t step) noexcept {
  if (slot[kKind] == 0.0 || !lasts(slot[kEnd], step)) return SignalFault::kNone;
  return static_cast<SignalFault>(static_cast<std::uint32_t>(slot[kKind]));
}

}  // namespace

std::string_view name_of(SignalFault fault) noexcept { return kNames.name_of(fault); }
Result<SignalFault> find_signal_fault(std::string_view name) { return kNames.find(name); }

SignalFaults::SignalFaults(std::size_t signals, double longest_delay_s, double dt_s, std::uint64_t seed) noexcept
    : signals_(signals),
      dt_s_(dt_s),
      seed_(seed),
      line_size_(longest_delay_s > 0.0 ? 2 + static_cast<int>(std::ceil(longest_delay_s / dt_s)) : 0) {}

int SignalFaults::state_size() const noexcept { return static_cast<int>(signals_) * kSlotSize + kDelays * line_size_; }

int SignalFaults::delay_steps(double delay_s) const noexcept {
  return static_cast<int>(std::lround(std::min(delay_s / dt_s_, 1e9)));
}

double* SignalFaults::line(int i, double* memory) const noexcept {
  return memory + static_cast<int>(signals_) * kSlotSize + i * line_size_;
}

/// For a delay of this signal; -1 where all are in use by others.
int SignalFaults::free_line(std::uint32_t signal, std::uint64_t step, const double* memory) const noexcept {
  for (int i = 0; i < kDelays && line_size_ > 0; ++i) {
    const double owner = memory[static_cast<int>(signals_) * kSlotSize + i * line_size_];
    if (owner == 0.0 || owner == signal + 1.0) return i;
    const double* slot = memory + (static_cast<int>(owner) - 1) * kSlotSize;
    if (fault_in(slot, step) != SignalFault::kDelay || slot[kLine] != i) return i;
  }
  return -1;
}

bool SignalFaults::can_apply(const StepChange& change, std::uint64_t step, const double* memory) const noexcept {
  const bool is_for_all = change.kind == ChangeKind::kClear && change.target == StepChange::kEverything;
  if (!is_for_all && change.target >= signals_) return false;
  if (change.kind == ChangeKind::kClear) return true;
  if (!std::isfinite(change.value)) return false;
  if (change.kind != ChangeKind::kFault) return change.kind == ChangeKind::kOverride;
  if (change.fault > SignalFault::kDrop) return false;
  if (change.fault == SignalFault::kDrop) return change.value >= 0.0 && change.value <= 1.0;
  if (change.fault == SignalFault::kNoise) return change.value >= 0.0;
  if (change.fault != SignalFault::kDelay) return true;
  return change.value >= 0.0 && delay_steps(change.value) <= line_size_ - 2 &&
         free_line(change.target, step, memory) >= 0;
}

void SignalFaults::apply(const StepChange& change, std::uint64_t step, double* memory) const noexcept {
  if (change.kind == ChangeKind::kClear && change.target == StepChange::kEverything) {
    std::fill_n(memory, state_size(), 0.0);
    return;
  }
  double* slot = memory + static_cast<int>(change.target) * kSlotSize;
  if (change.kind == ChangeKind::kClear) std::fill_n(slot, +kSlotSize, 0.0);
  if (change.kind == ChangeKind::kOverride) {
    slot[kOverrideOn] = change.off != 0 ? 0.0 : 1.0;
    slot[kOverrideValue] = change.off != 0 ? 0.0 : change.value;
    slot[kOverrideEnd] = change.off != 0 ? 0.0 : end_of(step, change.steps);
  }
  if (change.kind != ChangeKind::kFault) return;
  const int line_of_it = change.fault == SignalFault::kDelay ? free_line(change.target, step, memory) : 0;
  slot[kKind] = static_cast<double>(change.fault);
  slot[kValue] = change.value;
  slot[kBegin] = static_cast<double>(step);
  slot[kEnd] = end_of(step, change.steps);
  slot[kHasHeld] = slot[kHeld] = 0.0;
  slot[kLine] = line_of_it;
  if (change.fault == SignalFault::kDelay) line(line_of_it, memory)[0] = change.target + 1.0;
}

Reading SignalFaults::pass(std::size_t signal, std::uint64_t step, std::uint64_t tick, const Reading& healthy,
                           double* memory) const noexcept {
  double* slot = memory + static_cast<int>(signal) * kSlotSize;
  if (slot[kOverrideOn] != 0.0 && lasts(slot[kOverrideEnd], step)) {
    faulted(signal, step, tick, healthy, slot, memory);  // what the fault remembers goes on beneath
    return {slot[kOverrideValue], false, false, false};
  }
  return faulted(signal, step, tick, healthy, slot, memory);
}

Reading SignalFaults::faulted(std::size_t signal, std::uint64_t step, std::uint64_t tick, const Reading& healthy,
                              double* slot, double* memory) const noexcept {
  const SignalFault fault = fault_in(slot, step);
  if (fault == SignalFault::kNone) return healthy;
  const bool is_first = slot[kHasHeld] == 0.0;
  if (is_first) slot[kHeld] = healthy.value;
  slot[kHasHeld] = 1.0;
  Reading reading = healthy;
  const double value = slot[kValue];
  const auto number = static_cast<std::uint32_t>(signal);
  switch (fault) {
    case SignalFault::kNone:
      break;
    case SignalFault::kOff:
      reading.value = 0.0;
      reading.invalid = true;
      break;
    case SignalFault::kStuck:
      reading.value = slot[kHeld];
      break;
    case SignalFault::kBias:
      reading.value += value;
      break;
    case SignalFault::kDrift:
      reading.value += value * (static_cast<double>(step) - slot[kBegin]) * dt_s_;
      break;
    case SignalFault::kNoise:
      reading.value += value * normal_noise({seed_, number, kFaultNoise}, step);
      break;
    case SignalFault::kWrongSign:
      reading.value = -reading.value;
      break;
    case SignalFault::kDelay: {
      double* kept = line(static_cast<int>(slot[kLine]), memory) + 1;
      const auto count = static_cast<std::uint64_t>(line_size_ - 1);
      if (is_first) std::fill_n(kept, count, healthy.value);
      kept[tick % count] = healthy.value;
      reading.value = kept[(tick + count - static_cast<std::uint64_t>(delay_steps(value))) % count];
      break;
    }
    case SignalFault::kDrop:
      if (uniform_noise({seed_, number, kFaultDrop}, step) < value) {
        reading.value = slot[kHeld];
        reading.lost = true;
      } else {
        slot[kHeld] = healthy.value;
      }
      break;
  }
  return reading;
}

bool SignalFaults::accepts(const double* memory) const noexcept {
  for (std::size_t i = 0; i < signals_; ++i) {
    const double* slot = memory + static_cast<int>(i) * kSlotSize;
    if (!is_whole(slot[kKind], static_cast<double>(SignalFault::kDrop)) || !is_whole(slot[kLine], kDelays - 1)) {
      return false;
    }
    const bool is_delay = static_cast<std::uint32_t>(slot[kKind]) == static_cast<std::uint32_t>(SignalFault::kDelay);
    if (is_delay && (!(slot[kValue] >= 0.0) || delay_steps(slot[kValue]) > line_size_ - 2)) return false;
  }
  for (int i = 0; i < kDelays && line_size_ > 0; ++i) {
    const double owner = memory[static_cast<int>(signals_) * kSlotSize + i * line_size_];
    if (!is_whole(owner, static_cast<double>(signals_))) return false;
  }
  return true;
}

SignalFault SignalFaults::active(std::size_t signal, std::uint64_t step, const double* memory) const noexcept {
  return fault_in(memory + static_cast<int>(signal) * kSlotSize, step);
}

bool SignalFaults::is_overridden(std::size_t signal, std::uint64_t step, const double* memory) const noexcept {
  const double* slot = memory + static_cast<int>(signal) * kSlotSize;
  return slot[kOverrideOn] != 0.0 && lasts(slot[kOverrideEnd], step);
}

}  // namespace kinloop
