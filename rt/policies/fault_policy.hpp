// Owns FaultPolicy: what happens after a step that failed. The state is then that of the last good step.
//
//   stop     the run ends
//   freeze   the plant stands still from then on; frames go on and say so
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/name_table.hpp"
#include "core/base/status.hpp"

namespace kinloop::rt {

enum class FaultKind { kStop, kFreeze };

/// "stop", "freeze".
std::string_view name_of(FaultKind kind) noexcept;
std::span<const KindName<FaultKind>> fault_names() noexcept;

struct FaultSettings {
  FaultKind kind = FaultKind::kStop;
};

struct FaultCounters {
  std::int64_t failed = 0;            // steps
  std::int64_t capped = 0;            // steps whose loops were not closed to tolerance
  StepStatus last = StepStatus::kOk;  // failure
};

class FaultPolicy {
 public:
  explicit FaultPolicy(const FaultSettings& settings) noexcept : settings_(settings) {}

  /// A step has ended so. Whether the run goes on.
  bool goes_on_after(StepStatus status) noexcept;

  /// Whether the plant is to stand still in the next step.
  bool freezes() const noexcept { return frozen_; }
  /// Whether a step failed since the state was last replaced.
  bool has_failed() const noexcept { return failed_; }
  /// The state is another one: what failed is no longer true of it.
  void recover() noexcept { failed_ = frozen_ = false; }
  const FaultCounters& counters() const noexcept { return counters_; }

 private:
  FaultSettings settings_;
  FaultCounters counters_;
  bool failed_ = false, frozen_ = false;
};

}  // namespace kinloop::rt
