// Chooses ways, and sweeps over the segments of all components.
#include "core/dynamics/rcr/rcr_system.hpp"

#include <algorithm>
#include <utility>

#include "core/base/at.hpp"
#include "core/dynamics/rcr/delaying_segment.hpp"

namespace kinloop {
namespace {

/// Where no way is strong, a later one must leave less free or have pivots this many times larger.
constexpr double kClearlyBetter = 2.0;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

}  // namespace

template <class Algebra>
BasicRcrSystem<Algebra>::BasicRcrSystem(const Model& model, View view)
    : view_(std::move(view)),
      target_(model),
      all_(model),
      parts_(model, all_),
      components_(parts_.components),
      prepared_(parts_.plans.size()),
      is_used_(parts_.plans.size()),
      tried_(components_.size()),
      listed_(components_.size(), kNone),
      before_(components_.size(), 0) {
  std::size_t segments = 0;
  std::size_t across = 0;
  std::size_t blocks = 0;
  for (const Component& component : components_) {
    const auto most = [&](auto size_of) {
      std::size_t largest = 0;
      for (const Way& way : component.ways) largest = std::max(largest, size_of(way));
      return largest;
    };
    segments += most([](const Way& way) { return way.segments.size(); });
    across += most([](const Way& way) { return way.across.size(); });
    blocks += most([](const Way& way) { return way.blocks.size(); });
  }
  used_.reserve(segments);
  across_.reserve(across);
  blocks_.reserve(blocks);
  gathering_.reserve(all_.K.size());
  list_used();
}

template <class Algebra>
void BasicRcrSystem<Algebra>::prepare(std::size_t p) noexcept {
  if (prepared_[p] != 0) return;
  prepared_[p] = 1;
  Mechanism& plan = *parts_.plans[p];
  plan.motion.update(plan.graph, view_);
  plan.rows.update(view_);
}

/// Of the state that the segments were prepared for.
template <class Algebra>
RcrBasis BasicRcrSystem<Algebra>::choose_prepared(double tolerance, Way& way) noexcept {
  RcrBasis basis;
  basis.free = -way.usual_dofs;
  for (const auto& segment : way.segments) segment->choose(tolerance);
  if (way.delays_rows) return basis;
  for (const auto& segment : way.segments) segment->watch(basis);
  return basis;
}

template <class Algebra>
RcrBasis BasicRcrSystem<Algebra>::choose_way(double tolerance, Way& way) noexcept {
  for (int p = 0; p < parts_.plans.count(); ++p) {
    if (parts_.plans[p].get() == way.plan) prepare(p);
  }
  for (const auto& segment : way.segments) segment->prepare(*way.plan);
  return choose_prepared(tolerance, way);
}

template <class Algebra>
bool BasicRcrSystem<Algebra>::is_settled(const Component& component, int free) const noexcept {
  const bool keeps_rows = !component.basis.lost_rows || (knows_rank() && free == 0);
  return component.basis.smallest >= kStrongPivot && keeps_rows;
}

template <class Algebra>
void BasicRcrSystem<Algebra>::choose(const Workspace& ws, double tolerance) noexcept {
  view_.look_at(ws);
  std::fill(prepared_.begin(), prepared_.end(), 0);
  prepare(0);
  for (Component& component : components_) {
    component.used = 0;
    for (const auto& segment : component.way().segments) segment->prepare(*component.way().plan);
  }
  for (Component& component : components_) component.basis = choose_prepared(tolerance, component.way());
  for (std::size_t w = 1; w < parts_.max_ways; ++w) {
    const int free = basis().free;
    for (Component& component : components_) {
      if (w >= component.ways.size() || is_settled(component, free)) continue;
      Way& way = component.ways[w];
      const RcrBasis basis = choose_way(tolerance, way);
      const RcrBasis& best = component.basis;
      const bool stronger = basis.free == best.free && basis.smallest > kClearlyBetter * best.smallest;
      if (way.delays_rows || basis.free < best.free || stronger) {
        component.used = w;
        component.basis = basis;
      }
    }
  }
  list_used();
}

template <class Algebra>
void BasicRcrSystem<Algebra>::hold(const Workspace& ws) noexcept {
  view_.look_at(ws);
  std::fill(prepared_.begin(), prepared_.end(), 0);
  for (int p = 0; p < parts_.plans.count(); ++p) {
    if (is_used_[p] != 0) prepare(p);
  }
  for (const Used& used : used_) used.segment->prepare(*used.plan);
  for (const Used& used : used_) used.segment->hold(*used.plan);
}

template <class Algebra>
RcrBasis BasicRcrSystem<Algebra>::basis() const noexcept {
  RcrBasis sum;
  for (const Component& component : components_) {
    sum.free += component.basis.free;
    sum.switched = sum.switched || component.basis.switched;
    sum.smallest = std::min(sum.smallest, component.basis.smallest);
    sum.left = std::max(sum.left, component.basis.left);
    sum.lost_rows = sum.lost_rows || component.basis.lost_rows;
  }
  return sum;
}

template <class Algebra>
bool BasicRcrSystem<Algebra>::delays_rows() const noexcept {
  return std::any_of(components_.begin(), components_.end(), [](const auto& c) { return c.way().delays_rows; });
}

template <class Algebra>
bool BasicRcrSystem<Algebra>::has_switched() noexcept {
  bool switched = false;
  for (int c = 0; c < components_.count(); ++c) {
    switched = switched || before_[c] != components_[c].used;
    before_[c] = components_[c].used;
  }
  return switched;
}

/// In the order of the first plan; what stands for a component in another comes where its innermost segment was: all
/// that hangs on the component has been met by then, and nothing that it hangs on.
template <class Algebra>
void BasicRcrSystem<Algebra>::list_used() noexcept {
  const auto is_listed = [&](std::size_t c) { return listed_[c] == components_[c].used; };
  bool listed = true;
  for (int c = 0; c < components_.count(); ++c) listed = listed && is_listed(c);
  if (listed) return;
  used_.clear();
  across_.clear();
  blocks_.clear();
  gathering_.clear();
  // Segments of each component that are still to come; listed_ counts them for a moment.
  std::fill(listed_.begin(), listed_.end(), 0);
  for (const std::size_t c : parts_.order) ++listed_[c];
  for (const std::size_t c : parts_.order) {
    const Way& way = components_[c].way();
    const std::size_t left = --listed_[c];
    if (components_[c].used == 0) {
      used_.push_back({way.segments[way.segments.size() - 1 - left].get(), way.plan, c});
    } else if (left == 0) {
      for (const auto& segment : way.segments) used_.push_back({segment.get(), way.plan, c});
    }
  }
  for (int p = 0; p < parts_.plans.count(); ++p) {
    const auto uses = [&](const Component& c) { return c.way().plan == parts_.plans[p].get(); };
    is_used_[p] = std::any_of(components_.begin(), components_.end(), uses) ? 1 : 0;
  }
  for (int c = 0; c < components_.count(); ++c) {
    const Way& way = components_[c].way();
    listed_[c] = components_[c].used;
    for (const RcrAcross& across : way.across) across_.push_back({across, way.plan});
    blocks_.insert(blocks_.end(), way.blocks.begin(), way.blocks.end());
    for (const int b : components_[c].bodies) {
      if (way.plan->gathers[b] != 0) gathering_.push_back(b);
    }
  }
}

template <class Algebra>
bool BasicRcrSystem<Algebra>::solve(const ConstraintTarget& wanted, const Workspace& ws, double tolerance) noexcept {
  if (solve_held(wanted, ws)) return true;
  // Massless bodies may leave a short segment without inertia of its own, where another way has enough.
  for (int c = 0; c < components_.count(); ++c) tried_[c] = {components_[c].used, 0};
  while (true) {
    Tried& tried = tried_[failed_];
    if (tried.next == tried.first) ++tried.next;
    Component& component = components_[failed_];
    if (tried.next >= component.ways.size()) return false;
    component.used = tried.next++;
    component.basis = choose_way(tolerance, component.way());
    list_used();
    if (solve_held(wanted, ws)) return true;
  }
}

template <class Algebra>
bool BasicRcrSystem<Algebra>::solve_held(const ConstraintTarget& wanted, const Workspace& ws) noexcept {
  view_.look_at(ws);
  target_.take(wanted, view_);
  for (int k = 1; k < all_.F.count(); ++k) all_.F[k] = view_.load(k);
  for (const int b : gathering_) all_.K[b] = body_inertia(view_, b, parts_.plans[0]->mass[b]);
  for (const int block : blocks_) all_.cross[block].setZero();
  add_forces_across(ws.tau);
  bool regular = true;
  for (const Used& used : used_) {
    if (!used.segment->factorize(view_, all_)) {
      if (regular) failed_ = used.component;
      regular = false;
    }
    used.segment->inward(*used.plan, target_, ws.tau, all_);
  }
  outward();
  for (Component& component : components_) {
    if (!component.way().delays_rows) continue;
    component.basis = RcrBasis{};
    component.basis.free = -component.way().usual_dofs;
    for (const auto& segment : component.way().segments) segment->watch(component.basis);
  }
  return regular;
}

template <class Algebra>
void BasicRcrSystem<Algebra>::sweep(const ConstraintTarget& wanted, const VectorX& tau) noexcept {
  target_.take(wanted, view_);
  add_forces_across(tau);
  for (const Used& used : used_) used.segment->inward(*used.plan, target_, tau, all_);
  outward();
}

template <class Algebra>
void BasicRcrSystem<Algebra>::refining_sweep(const ConstraintTarget& wanted, const VectorX& tau) noexcept {
  all_.is_refinement = true;
  sweep(wanted, tau);
  all_.is_refinement = false;
}

/// Their forces act between tip and base: columns are orthonormal, so force and motion share one direction.
template <class Algebra>
void BasicRcrSystem<Algebra>::add_forces_across(const VectorX& tau) noexcept {
  for (const UsedAcross& across : across_) {
    const RcrAcross& a = across.of;
    const auto& motion = across.plan->motion;
    const Vector wrench = tau[a.speed] * motion.column[a.slot];
    Vector& tip = all_.F[a.tip];
    Vector& base = all_.F[a.base];
    tip = tip + shift_force(wrench, motion.tip_arm[a.closing]);
    base = base - shift_force(wrench, motion.base_arm[a.closing]);
  }
}

template <class Algebra>
void BasicRcrSystem<Algebra>::outward() noexcept {
  all_.A[0] = Vector{};
  for (std::size_t s = used_.size(); s-- > 0;) used_[s].segment->outward(all_);
  for (const UsedAcross& across : across_) {
    const RcrAcross& a = across.of;
    const auto& motion = across.plan->motion;
    const Vector relative = shift_motion(all_.A[a.tip], motion.tip_arm[a.closing]) -
                            shift_motion(all_.A[a.base], motion.base_arm[a.closing]);
    all_.u[a.slot] = dot(motion.column[a.slot], relative);
  }
}

template <class Algebra>
void BasicRcrSystem<Algebra>::take_speeds(VectorX& rates) const noexcept {
  const LoopGraph& graph = parts_.plans[0]->graph;  // coordinates are the same in all plans
  for (int j = 0; j < graph.slot_count(); ++j) {
    const int speed = graph.slot_speed[j];
    if (speed >= 0) rates[speed] = all_.u[j];
  }
}

template <class Algebra>
bool BasicRcrSystem<Algebra>::takes_armature(const VectorX& added) const noexcept {
  for (const Component& component : components_) {
    for (const Way& way : component.ways) {
      for (const RcrAcross& across : way.across) {
        if (added[across.speed] != 0.0) return false;
      }
    }
  }
  return true;
}

template class BasicRcrSystem<SpatialAlgebra>;
template class BasicRcrSystem<PlanarAlgebra>;

}  // namespace kinloop
