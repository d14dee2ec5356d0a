// Counts what the methods work on.
#include "core/dynamics/loop_cost.hpp"

#include "core/dynamics/rcr_mechanism.hpp"

namespace kinloop {
namespace {

/// Segments of at most so many unknowns need little more than their bodies do.
constexpr double kSmall = 4.0;

double rcr_ns(const Model& model) {
  const RcrMechanism mechanism(model, SearchOrder::kForward, Tails::kShort);
  double sum = 75.0 * (model.body_count() - 1);
  for (const Segment& segment : mechanism.plan.segments) {
    std::size_t count = 0;
    for (const SegmentClosing& closing : segment.closings) {
      count += mechanism.rows.of(static_cast<std::size_t>(closing.index)).size();
    }
    const auto rows = static_cast<double>(count);
    const auto unknowns = static_cast<double>(segment.slots.size());
    const bool small = unknowns <= kSmall || count == 0;
    sum += small ? 110.0 * unknowns : 70.0 * unknowns + 0.6 * rows * unknowns * (rows + unknowns);
    sum += 850.0 * static_cast<double>(segment.crosses.size());
  }
  return sum;
}

double semi_recursive_2_ns(const Model& model) {
  const double speeds = model.nv();
  const double rows = constraint_rows(model);
  return 100.0 * speeds + 30.0 * rows + 8.0 * speeds * rows;
}

}  // namespace

LoopCost estimate_loop_cost(const Model& model) { return {rcr_ns(model), semi_recursive_2_ns(model)}; }

}  // namespace kinloop
