// Owns OutsideForces: forces that somebody applies to bodies for some steps. All that they remember lies in the State.
#pragma once

#include "core/forces/loads.hpp"
#include "core/plant/step_change.hpp"

namespace kinloop {

class OutsideForces {
 public:
  static constexpr int kMax = 8;  // at the same time

  explicit OutsideForces(int bodies) noexcept : bodies_(bodies) {}

  /// Doubles of the State that belong to it; all zero: no forces.
  static constexpr int state_size() noexcept { return kMax * kSlotSize; }

  /// Whether it makes sense and there is room for it, from this step on.
  bool can_apply(const StepChange& change, std::uint64_t step, const double* memory) const noexcept;
  /// From this step on; can_apply() said yes. No allocation.
  static void apply(const StepChange& change, std::uint64_t step, double* memory) noexcept;

  /// Whether memory from outside, all of it finite, can be that of forces. No allocation.
  bool accepts(const double* memory) const noexcept;

  /// Those of this step, into wrenches with room for kMax. No allocation.
  static void gather(std::uint64_t step, const double* memory, std::vector<ExternalWrench>& wrenches) noexcept;

 private:
  static constexpr int kSlotSize = 11;  // the first step without it, the body, point, force, moment

  static int free_slot(std::uint64_t step, const double* memory) noexcept;

  int bodies_;
};

}  // namespace kinloop
