// Slots that are free once their last step is over.
#include "core/plant/outside_forces.hpp"

#include <algorithm>
#include <cmath>

namespace kinloop {

/// -1 where there is none.
int OutsideForces::free_slot(std::uint64_t step, const double* memory) noexcept {
  for (int i = 0; i < kMax; ++i) {
    if (memory[i * kSlotSize] <= static_cast<double>(step)) return i;
  }
  return -1;
}

bool OutsideForces::can_apply(const StepChange& change, std::uint64_t step, const double* memory) const noexcept {
  const bool is_finite =
      std::all_of(change.wrench.begin(), change.wrench.end(), [](double x) { return std::isfinite(x); });
  return is_finite && change.target < static_cast<std::uint32_t>(bodies_) && free_slot(step, memory) >= 0;
}

void OutsideForces::apply(const StepChange& change, std::uint64_t step, double* memory) noexcept {
  double* slot = memory + free_slot(step, memory) * kSlotSize;
  slot[0] = static_cast<double>(step) + static_cast<double>(std::max<std::uint64_t>(change.steps, 1));
  slot[1] = change.target;
  std::copy(change.wrench.begin(), change.wrench.end(), slot + 2);
}

bool OutsideForces::accepts(const double* memory) const noexcept {
  for (int i = 0; i < kMax; ++i) {
    const double body = memory[i * kSlotSize + 1];
    if (!(body >= 0.0) || !(body <= bodies_ - 1)) return false;  // a fraction stands for the whole below it
  }
  return true;
}

void OutsideForces::gather(std::uint64_t step, const double* memory, std::vector<ExternalWrench>& wrenches) noexcept {
  wrenches.clear();
  for (int i = 0; i < kMax; ++i) {
    const double* slot = memory + i * kSlotSize;
    if (slot[0] <= static_cast<double>(step)) continue;
    wrenches.push_back({static_cast<int>(slot[1]), Vector3(slot[2], slot[3], slot[4]),
                        Vector3(slot[5], slot[6], slot[7]), Vector3(slot[8], slot[9], slot[10])});
  }
}

}  // namespace kinloop
