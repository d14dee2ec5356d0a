// Finds what hangs together in all plans, and cuts the plans accordingly.
#include "core/dynamics/rcr/rcr_components.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/at.hpp"
#include "core/dynamics/rcr/delaying_segment.hpp"

namespace kinloop {
namespace {

/// Loops that are solved together cost the third power of their unknowns; more than this are not.
constexpr std::size_t kMaxTogether = 96;

/// At nearly all closed positions; -1 where that is not known. With some couplings only it is, where all of them count.
int usual_rank_of(const Model& model, const SegmentPlan& plan) {
  const auto [all, loops] = model.generic_rank();
  const int couplings = static_cast<int>(model.couplings().size());
  const int apart = plan.couplings_apart.count();
  if (apart == 0) return all;
  if (apart == couplings) return loops;
  return all == loops + couplings ? all - apart : -1;
}

/// Numbers the blocks of the plan from `first` on.
void shift_blocks(int first, SegmentPlan& plan) {
  for (Segment& segment : plan.segments) {
    for (SegmentCross& cross : segment.crosses) {
      cross.block += first;
      if (cross.handed_on >= 0) cross.handed_on += first;
    }
    for (BoundaryPair& pair : segment.pairs) pair.block += first;
  }
}

bool leaves_basis_open(const SegmentPlan& plan) {
  return std::any_of(plan.segments.begin(), plan.segments.end(),
                     [](const Segment& segment) { return !segment.closings.empty() && !segment.boundary.empty(); });
}

/// Segments as short as they can be, then the same opened elsewhere, then whole loops; the first alone where no other
/// could choose differently.
template <class Mechanism>
IndexedVector<std::unique_ptr<Mechanism>> make_plans(const Model& model) {
  IndexedVector<std::unique_ptr<Mechanism>> plans;
  plans.push_back(std::make_unique<Mechanism>(model, SearchOrder::kForward, Tails::kShort));
  if (!leaves_basis_open(plans[0]->plan)) return plans;
  plans.push_back(std::make_unique<Mechanism>(model, SearchOrder::kBackward, Tails::kShort, &plans[0]->plan));
  plans.push_back(std::make_unique<Mechanism>(model, SearchOrder::kForward, Tails::kWhole, &plans[0]->plan));
  int first = 0;
  for (const auto& plan : plans) {
    shift_blocks(first, plan->plan);
    first += plan->plan.blocks.count();
  }
  return plans;
}

/// Per body the first of its component; the ground is its own.
template <class Mechanism>
IndexedVector<int> find_components(const IndexedVector<std::unique_ptr<Mechanism>>& plans, std::size_t bodies) {
  IndexedVector<int> root(bodies);
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int b) {
    while (root[b] != b) b = root[b];
    return b;
  };
  for (const auto& plan : plans) {
    for (const Segment& segment : plan->plan.segments) {
      for (const int b : segment.bodies) {
        const int one = find(b);
        const int other = find(segment.bodies[0]);
        root[std::max(one, other)] = std::min(one, other);
      }
    }
  }
  for (int b = 1; b < root.count(); ++b) root[b] = find(b);
  return root;
}

/// Ways of the components, plan by plan.
template <class Algebra>
class WayMaker {
  using Mechanism = BasicRcrMechanism<Algebra>;
  using Component = BasicRcrComponent<Algebra>;
  using Way = BasicRcrWay<Algebra>;

 public:
  WayMaker(const Model& model, const IndexedVector<int>& root, RcrComponents<Algebra>& all,
           BasicRcrWorkspace<Algebra>& workspace)
      : free_speeds_(model.nv() - static_cast<int>(model.driven_speeds().size())),
        root_(root),
        all_(all),
        workspace_(workspace),
        component_(root.size()) {
    for (int b = 1; b < root.count(); ++b) {
      if (root[b] == b) {
        component_[b] = all.components.size();
        all.components.emplace_back();
      }
      all.components[component_of(b)].bodies.push_back(b);
    }
  }

  std::size_t component_of(int body) const { return component_[root_[body]]; }

  void add_short(Mechanism& plan) {
    begin(plan);
    for (const Segment& segment : plan.plan.segments) {
      const std::size_t c = component_of(segment.bodies[0]);
      if (is_open_[c] != 0) add(segment, make_segment_elimination(segment, plan), segment.slots.size(), c);
    }
    add_across(plan);
  }

  /// Whole loops, or short tails that delay rows where loops are too many to be solved together.
  void add_last(Mechanism& tails, Mechanism& whole) {
    begin(whole);
    IndexedVector<char> delays(all_.components.size());
    for (const Segment& segment : whole.plan.segments) {
      const std::size_t c = component_of(segment.bodies[0]);
      delays[c] = delays[c] != 0 || segment.slots.size() > kMaxTogether ? 1 : 0;
    }
    for (const Segment& segment : whole.plan.segments) {
      const std::size_t c = component_of(segment.bodies[0]);
      if (is_open_[c] == 0 || delays[c] != 0) continue;
      add(segment, make_segment_elimination(segment, whole), segment.slots.size(), c);
    }
    add_across(whole);
    add_delaying(tails, delays);
  }

 private:
  void begin(Mechanism& plan) {
    const bool first = all_.components[0].ways.empty();
    is_open_.assign(all_.components.size(), 1);
    for (int c = 0; c < all_.components.count(); ++c) {
      Component& component = all_.components[c];
      is_open_[c] = first || leaves_basis_open_[c] != 0 ? 1 : 0;
      if (is_open_[c] == 0) continue;
      Way& way = component.ways.emplace_back();
      way.plan = &plan;
      if (c == 0 && all_.usual_rank >= 0) way.usual_dofs = free_speeds_ - all_.usual_rank;
      all_.max_ways = std::max(all_.max_ways, component.ways.size());
    }
    if (!first) return;
    leaves_basis_open_.assign(all_.components.size(), 0);
    for (const Segment& segment : plan.plan.segments) {
      if (!segment.closings.empty() && !segment.boundary.empty())
        leaves_basis_open_[component_of(segment.bodies[0])] = 1;
    }
  }

  void add(const Segment& segment, std::unique_ptr<SegmentElimination<Algebra>> made, std::size_t unknowns,
           std::size_t c) {
    Way& way = all_.components[c].ways.back();
    way.segments.push_back(std::move(made));
    for (const BoundaryPair& pair : segment.pairs) {
      if (std::find(way.blocks.begin(), way.blocks.end(), pair.block) == way.blocks.end()) {
        way.blocks.push_back(pair.block);
      }
    }
    workspace_.fit(segment.bodies.size(), segment.boundary.size() * unknowns);
  }

  void add_across(const Mechanism& plan) {
    for (int c = 0; c < plan.graph.closings.count(); ++c) {
      const GraphClosing& closing = plan.graph.closings[c];
      const GraphEdge& edge = plan.graph.edges[closing.edge];
      const std::size_t component = component_of(closing.tip);
      if (edge.joint < 0 || plan.rows.keeps_coordinates(c) || is_open_[component] == 0) continue;
      Way& way = all_.components[component].ways.back();
      for (int j = edge.first_slot; j < edge.first_slot + edge.slots; ++j) {
        way.across.push_back({at(c), closing.tip, closing.base, j, plan.graph.slot_speed[j]});
      }
    }
  }

  using Rows = typename DelayingSegment<Algebra>::Rows;

  void add_delaying(Mechanism& tails, const IndexedVector<char>& delays) {
    IndexedVector<IndexedVector<DelayingSegment<Algebra>*>> on(root_.size());  // what hangs on each body
    for (const Segment& segment : tails.plan.segments) {
      const std::size_t c = component_of(segment.bodies[0]);
      if (is_open_[c] == 0 || delays[c] == 0) continue;
      IndexedVector<DelayingSegment<Algebra>*> outward;
      for (const int b : segment.bodies) outward.insert(outward.end(), on[b].begin(), on[b].end());
      const bool is_top = segment.parent == 0 || component_of(segment.parent) != c;
      auto made =
          std::make_unique<DelayingSegment<Algebra>>(segment, tails, is_top ? Rows::kSolved : Rows::kDelayed, outward);
      if (!is_top) on[segment.parent].push_back(made.get());
      const std::size_t pairs = made->largest_B();
      add(segment, std::move(made), 0, c);
      workspace_.fit(0, pairs);
    }
    for (int c = 0; c < all_.components.count(); ++c) {
      if (is_open_[c] == 0 || delays[c] == 0) continue;
      Component& component = all_.components[c];
      Way& way = component.ways.back();
      way.plan = &tails;
      way.delays_rows = true;
      way.across = component.ways.front().across;
      way.usual_dofs = component.ways.front().usual_dofs;
    }
  }

  int free_speeds_;
  const IndexedVector<int>& root_;
  RcrComponents<Algebra>& all_;
  BasicRcrWorkspace<Algebra>& workspace_;
  IndexedVector<std::size_t> component_;   // of a root
  IndexedVector<char> is_open_;            // per component: has a way in the plan at hand
  IndexedVector<char> leaves_basis_open_;  // per component: other plans could choose differently
};

}  // namespace

template <class Algebra>
RcrComponents<Algebra>::RcrComponents(const Model& model, BasicRcrWorkspace<Algebra>& all)
    : plans(make_plans<BasicRcrMechanism<Algebra>>(model)), usual_rank(usual_rank_of(model, plans[0]->plan)) {
  const IndexedVector<int> root = find_components(plans, at(model.body_count()));
  WayMaker<Algebra> maker(model, root, *this, all);
  if (components.empty()) return;
  maker.add_short(*plans[0]);
  if (plans.size() > 1) {
    maker.add_short(*plans[1]);
    maker.add_last(*plans[0], *plans[2]);
  }
  for (const Segment& segment : plans[0]->plan.segments) order.push_back(maker.component_of(segment.bodies[0]));
  std::size_t blocks = 0;
  for (const auto& plan : plans) blocks += plan->plan.blocks.size();
  all.cross.assign(blocks, RcrInertias<Algebra>::Block::Zero());
  all.u = VectorX::Zero(plans[0]->graph.slot_count());
}

template struct RcrComponents<SpatialAlgebra>;
template struct RcrComponents<PlanarAlgebra>;

}  // namespace kinloop
