// Counts what the methods work on.
#include "core/dynamics/loop_cost.hpp"

#include <vector>

#include "core/base/at.hpp"
#include "core/dynamics/planar_form.hpp"
#include "core/dynamics/rcr/rcr_mechanism.hpp"

namespace kinloop {
namespace {

/// Segments of at most so many unknowns have sizes that the compiler knows.
constexpr double kSmall = 4.0;

/// What `rcr` takes for what it works on.
struct RcrPrices {
  double start_ns, body_ns, small_unknown_ns, unknown_ns;
  double elimination_ns;  // rows x unknowns x (rows + unknowns)
  double cross_ns;        // an inertia between two bodies
};
constexpr RcrPrices kSpatial{472.0, 0.0, 106.0, 125.0, 0.43, 443.0};
constexpr RcrPrices kPlanar{67.0, 79.0, 19.0, 93.0, 1.6, 57.0};

double rcr_ns(const Model& model) {
  const RcrPrices& price = takes_planar_form("rcr", model) ? kPlanar : kSpatial;
  const RcrMechanism mechanism(model, SearchOrder::kForward, Tails::kShort);
  double sum = price.start_ns + price.body_ns * (model.body_count() - 1);
  for (const Segment& segment : mechanism.plan.segments) {
    std::size_t count = 0;
    for (const SegmentClosing& closing : segment.closings) {
      count += mechanism.rows.of(at(closing.index)).size();
    }
    count += segment.couplings.size();
    const auto rows = static_cast<double>(count);
    const auto unknowns = static_cast<double>(segment.slots.size());
    const bool small = unknowns <= kSmall || count == 0;
    sum += (small ? price.small_unknown_ns : price.unknown_ns) * unknowns;
    sum += price.elimination_ns * rows * unknowns * (rows + unknowns);
    sum += price.cross_ns * static_cast<double>(segment.crosses.size());
  }
  // A sweep for the response to each coupling that is no row of a segment.
  sum *= 1.0 + 0.3 * static_cast<double>(mechanism.plan.couplings_apart.size());
  return sum;
}

double rank_of(const Model& model) {
  return model.generic_rank().all >= 0 ? model.generic_rank().all : constraint_rows(model);
}

double semi_recursive_2_ns(const Model& model) {
  const double speeds = model.nv();
  const double rows = constraint_rows(model);
  const double rank = rank_of(model);
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
  return 69.0 * speeds + 113.0 * rows + 0.75 * depths2 + 0.36 * speeds * rank * rank;
}

double partition_ns(const Model& model) {
  const double speeds = model.nv();
  const double rank = rank_of(model);
  return speeds * (301.0 + 18.8 * speeds + 0.51 * rank * constraint_rows(model) + 0.17 * speeds * rank +
                   0.19 * speeds * speeds);
}

}  // namespace

LoopCost estimate_loop_cost(const Model& model) { return {rcr_ns(model), semi_recursive_2_ns(model)}; }

double estimate_evaluation_ns(std::string_view formulation, const Model& model) {
  if (formulation == "rcr" || formulation == "hybrid") return rcr_ns(model);  // by which hybrid solves its pieces
  if (formulation == "semi_recursive_1" || formulation == "semi_recursive_2") return semi_recursive_2_ns(model);
  if (formulation == "partition") return partition_ns(model);
  return 0.0;
}

}  // namespace kinloop
