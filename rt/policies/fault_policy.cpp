// Counts failed steps, and remembers whether the run goes on.
#include "rt/policies/fault_policy.hpp"

namespace kinloop::rt {
namespace {

constexpr NameTable kFaultNames("fault policy",
                                std::array{KindName{FaultKind::kStop, "stop"}, KindName{FaultKind::kFreeze, "freeze"}});

}  // namespace

std::string_view name_of(FaultKind kind) noexcept { return kFaultNames.name_of(kind); }
std::span<const KindName<FaultKind>> fault_names() noexcept { return kFaultNames.entries(); }

bool FaultPolicy::goes_on_after(StepStatus status) noexcept {
  if (status == StepStatus::kClosureCapped) ++counters_.capped;
  if (is_done(status)) return true;
  ++counters_.failed;
  counters_.last = status;
  failed_ = true;
  frozen_ = settings_.kind == FaultKind::kFreeze;
  return frozen_;
}

}  // namespace kinloop::rt
