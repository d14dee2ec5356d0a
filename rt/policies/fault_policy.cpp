// Counts failed steps, and remembers whether the run goes on.
#include "rt/policies/fault_policy.hpp"

#include "core/base/name_table.hpp"

namespace kinloop::rt {
namespace {

constexpr NameTable kFaultNames("fault policy",
                                std::array{KindName{FaultKind::kStop, "stop"}, KindName{FaultKind::kFreeze, "freeze"}});

}  // namespace

std::string_view name_of(FaultKind kind) noexcept { return kFaultNames.name_of(kind); }
Result<FaultKind> find_fault(std::string_view name) { return kFaultNames.find(name); }

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
