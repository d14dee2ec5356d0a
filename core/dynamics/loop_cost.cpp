// Counts what the methods work on.
#include "core/dynamics/loop_cost.hpp"

#include <vector>

#include "core/base/at.hpp"
#include "core/dynamics/rcr/rcr_mechanism.hpp"

namespace kinloop {
namespace {

/// Segments of at most so many unknowns need little more than their bodies do.
constexpr double kSmall = 4.0;

double rcr_ns(const Model& model) {
  const RcrMechanism mechanism(model, SearchOrder::kForward, Tails::kShort);
  double sum = 56.0 * (model.body_count() - 1);
  for (const Segment& segment : mechanism.plan.segments) {
    std::size_t count = 0;
    for (const SegmentClosing& closing : segment.closings) {
      count += mechanism.rows.of(at(closing.index)).size();
    }
    count += segment.couplings.size();
    const auto rows = static_cast<double>(count);
    const auto unknowns = static_cast<double>(segment.slots.size());
    const bool small = unknowns <= kSmall || count == 0;
    sum += small ? 82.0 * unknowns : 52.0 * unknowns + 0.45 * rows * unknowns * (rows + unknowns);
    sum += 640.0 * static_cast<double>(segment.crosses.size());
  }
  // A sweep for the response to each coupling that is no row of a segment.
  sum *= 1.0 + 0.3 * static_cast<double>(mechanism.plan.couplings_apart.size());
  return sum;
}

double semi_recursive_2_ns(const Model& model) {
  const double speeds = model.nv();
  const double rows = constraint_rows(model);
  const double rank = model.generic_rank().all >= 0 ? model.generic_rank().all : rows;
  // The inertia along the tree costs the square of a node's depth, the constraints the square of their rank.
  double depths2 = 0.0;
  std::vector<double> depth(at(model.body_count()), 0.0);
  for (int k = 1; k < model.body_count(); ++k) {
    const BodyConstants& body = model.body(k);
    double& own = depth[at(k)];
    own = depth[at(body.parent)];
    for (int i = 0; i < body.nv; ++i) {
      own += 1.0;
      depths2 += own * own;
    }
  }
  return 80.0 + 120.0 * speeds + 30.0 * rows + depths2 + 0.45 * speeds * rank * rank;
}

}  // namespace

LoopCost estimate_loop_cost(const Model& model) { return {rcr_ns(model), semi_recursive_2_ns(model)}; }

}  // namespace kinloop
