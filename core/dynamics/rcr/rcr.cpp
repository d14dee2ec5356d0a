// Recursive coordinate reduction: paper 000 §3-5 (RCR, ACS, GCL) in one recursion; MATH 4.
//
// The mechanism is cut into segments (core/topology/segments.hpp), which are eliminated one after the other, leaves
// first (rcr_segment.hpp); then accelerations are found from the ground outward. Cost: O(bodies + loops) as long as
// tails do not overlap.
//
//   paper                    here
//   loop i, base body 0_i    GraphClosing: tip, base; the tree is grown depth first (MATH 4.1)
//   RCR §3                   a tail of its own: segment and loop are one
//   ACS §4                   tails that grow beyond a bad end, and spare coordinates among which pivoting chooses
//   GCL §5                   bases as boundary bodies, and inertias between bodies and open bases
//   opening joint            short tails from a search forward and backward, then whole loops: where one plan's
//                            dependents are a poor basis the next is looked at (Figures 4, 5 and 8a)
#include <utility>
#include <vector>

#include "core/base/at.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/dynamics/formulations.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/dynamics/rcr/coupling_response.hpp"
#include "core/dynamics/rcr/rcr_segment.hpp"

namespace kinloop::formulations {
namespace {

/// At nearly all closed positions; 0 where that is not known.
int usual_dofs(const Model& model, const SegmentPlan& plan) {
  const int rank = plan.has_couplings() ? model.generic_rank().all : model.generic_rank().loops;
  return rank < 0 ? 0 : model.nv() - static_cast<int>(model.driven_speeds().size()) - rank;
}

/// One way to cut the mechanism into segments, with its memory.
class Plan {
 public:
  Plan(const Model& model, std::unique_ptr<RcrMechanism> mechanism)
      : own_(std::move(mechanism)),
        mechanism_(*own_),
        bodies_(model, mechanism_),
        usual_dofs_(usual_dofs(model, mechanism_.plan)) {
    for (const Segment& segment : mechanism_.plan.segments) {
      segments_.push_back(make_segment_elimination(segment, mechanism_));
    }
    for (std::size_t c = 0; c < mechanism_.graph.closings.size(); ++c) {
      const GraphClosing& closing = mechanism_.graph.closings[c];
      const GraphEdge& edge = mechanism_.graph.edges[at(closing.edge)];
      if (edge.joint < 0 || mechanism_.rows.keeps_coordinates(c)) continue;
      for (int j = edge.first_slot; j < edge.first_slot + edge.slots; ++j) {
        across_.push_back({c, closing.tip, closing.base, j, mechanism_.graph.slot_speed[at(j)]});
      }
    }
  }

  const RcrMechanism& mechanism() const noexcept { return mechanism_; }
  RcrWorkspace& bodies() noexcept { return bodies_; }

  /// Whether some loop leaves coordinates to others from which it could take its dependents just as well.
  bool leaves_a_choice() const noexcept {
    for (const Segment& segment : mechanism_.plan.segments) {
      if (!segment.closings.empty() && !segment.boundary.empty()) return true;
    }
    return false;
  }

  RcrBasis choose(const Workspace& ws, double tolerance) noexcept {
    prepare(ws);
    RcrBasis basis;
    basis.free = -usual_dofs_;
    for (const auto& segment : segments_) segment->choose(tolerance, basis);
    return basis;
  }

  /// As many dependents as chosen before. False where there are not so many.
  bool hold(const Workspace& ws) noexcept {
    prepare(ws);
    bool holds = true;
    for (const auto& segment : segments_) holds = segment->hold(mechanism_) && holds;
    return holds;
  }

  /// Factors, and with them unknowns and accelerations from the loads: in one pass while a segment is at hand.
  bool solve(const ConstraintTarget& wanted, const Workspace& ws) noexcept {
    for (std::size_t k = 1; k < ws.load.size(); ++k) {
      if (mechanism_.gathers[k] != 0) bodies_.K[k] = rigid_inertia(mechanism_.mass[k], ws.load[k]);
      bodies_.F[k] = {ws.load[k].n, ws.load[k].f};
    }
    for (Matrix6& block : bodies_.cross) block.setZero();
    add_forces_across(ws.tau);
    bool regular = true;
    for (const auto& segment : segments_) {
      regular = segment->factorize(ws, bodies_) && regular;
      segment->inward(mechanism_, wanted, ws.tau, bodies_);
    }
    outward();
    return regular;
  }

  /// Unknowns and accelerations from the forces in F, tau per speed and the motions wanted of the closures.
  void sweep(const ConstraintTarget& wanted, const VectorX& tau) noexcept {
    add_forces_across(tau);
    for (const auto& segment : segments_) segment->inward(mechanism_, wanted, tau, bodies_);
    outward();
  }

  void take_speeds(VectorX& rates) const noexcept {
    for (int j = 0; j < mechanism_.graph.slot_count(); ++j) {
      const int speed = mechanism_.graph.slot_speed[at(j)];
      if (speed >= 0) rates[speed] = bodies_.u[j];
    }
  }

 private:
  /// A coordinate of the file's tree whose joint closes a loop here.
  struct Across {
    std::size_t closing = 0;
    int tip = 0, base = 0;
    int slot = 0, speed = 0;
  };

  void prepare(const Workspace& ws) noexcept {
    mechanism_.motion.update(mechanism_.graph, ws);
    mechanism_.rows.update(ws);
    for (const auto& segment : segments_) segment->prepare(mechanism_);
  }

  /// Their forces act between tip and base: columns are orthonormal, so force and motion share one direction.
  void add_forces_across(const VectorX& tau) noexcept {
    for (const Across& a : across_) {
      const SpatialVector wrench = tau[a.speed] * mechanism_.motion.column[at(a.slot)];
      SpatialVector& tip = bodies_.F[at(a.tip)];
      SpatialVector& base = bodies_.F[at(a.base)];
      tip = tip + shift_force(wrench, mechanism_.motion.tip_arm[a.closing]);
      base = base - shift_force(wrench, mechanism_.motion.base_arm[a.closing]);
    }
  }

  void outward() noexcept {
    bodies_.A[0] = SpatialVector{};
    for (std::size_t s = segments_.size(); s-- > 0;) segments_[s]->outward(bodies_);
    for (const Across& a : across_) {
      const SpatialVector relative = shift_motion(bodies_.A[at(a.tip)], mechanism_.motion.tip_arm[a.closing]) -
                                     shift_motion(bodies_.A[at(a.base)], mechanism_.motion.base_arm[a.closing]);
      bodies_.u[a.slot] = dot(mechanism_.motion.column[at(a.slot)], relative);
    }
  }

  std::unique_ptr<RcrMechanism> own_;
  RcrMechanism& mechanism_;
  RcrWorkspace bodies_;
  std::vector<std::unique_ptr<SegmentElimination>> segments_;
  std::vector<Across> across_;
  int usual_dofs_;
};

/// Pivots above this lose no more than two digits: what is lost grows with 1 / pivot^2.
constexpr double kStrong = 0.05;
/// Where no plan is strong, a later one must leave less free or have pivots this many times larger.
constexpr double kClearlyBetter = 2.0;
/// Loops that are solved together cost the third power of their unknowns; more than this are not.
constexpr std::size_t kMaxTogether = 96;

/// Segments as short as they can be, then the same opened elsewhere, then whole loops: as many as differ.
std::vector<std::unique_ptr<Plan>> make_plans(const Model& model) {
  std::vector<std::unique_ptr<Plan>> plans;
  const auto add = [&](SearchOrder search, Tails tails) {
    auto mechanism = std::make_unique<RcrMechanism>(model, search, tails);
    for (const Segment& segment : mechanism->plan.segments) {
      if (tails == Tails::kWhole && segment.slots.size() > kMaxTogether) return;
    }
    plans.push_back(std::make_unique<Plan>(model, std::move(mechanism)));
  };
  add(SearchOrder::kForward, Tails::kShort);
  if (!plans[0]->leaves_a_choice()) return plans;
  add(SearchOrder::kBackward, Tails::kShort);
  add(SearchOrder::kForward, Tails::kWhole);
  return plans;
}

class Rcr final : public Dynamics {
 public:
  explicit Rcr(const Model& model)
      : plans_(make_plans(model)),
        used_(plans_[0].get()),
        sees_all_(plans_.size() == 1 || plans_.size() == 3),
        knows_rank_(model.generic_rank().loops >= 0),
        required_(model),
        closed_(model),
        tau_(VectorX::Zero(model.nv())),
        free_(VectorX::Zero(model.nv())),
        couplings_(model) {}

  std::string_view name() const noexcept override { return kRcr.name; }
  void freeze_basis() noexcept override { held_ = true; }
  void release_basis() noexcept override { held_ = false; }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    choose(ws);
    required_acceleration(ws, required_);
    if (!used_->solve(required_, ws) && !solve_elsewhere(ws)) return StepStatus::kSingularMass;
    free_.setZero();
    used_->take_speeds(free_);
    if (couples_apart()) {
      couple();
      couplings_.apply(required_.coupling, free_);
    }
    ws.vdot = ws.prescribed + free_;
    // Along the file's tree: what the plan found along its own would hide what its closings miss.
    update_body_accelerations(model, ws);
    return StepStatus::kOk;
  }

  void refine(const VectorX& tau, const ConstraintTarget& gap, VectorX& change) noexcept override {
    without_forces();
    used_->sweep(gap, tau);
    change.setZero();
    used_->take_speeds(change);
    if (couples_apart()) couplings_.apply(gap.coupling, change);
  }

  bool is_singular() const noexcept override { return is_singular_; }

  void project(const ConstraintTarget& motion, VectorX& step) noexcept override {
    tau_.setZero();
    refine(tau_, motion, step);
  }

 private:
  /// Couplings that are not rows of segments are multipliers on top of them.
  bool couples_apart() const noexcept { return couplings_.count() > 0 && !used_->mechanism().plan.has_couplings(); }

  /// By the state alone: the basis needs no memory, so that a run continued from a State goes on with the same bits.
  void choose(const Workspace& ws) noexcept {
    if (held_) {
      used_->hold(ws);
      return;
    }
    Plan* const before = used_;
    const double error = closure_error(ws);
    RcrBasis best = choose_plan(ws, rank_tolerance(error));
    // Where loops are open a tolerance wide enough for rows that depend on each other may drop others.
    const bool is_open = knows_rank_ && error > kLoopsClosed;
    for (double tolerance = error; is_open && best.free > 0 && tolerance > 1e-4 * error; tolerance *= 1e-2) {
      best = choose_plan(ws, std::max(tolerance, kSmallestPivotShare));
    }
    // Only whole loops tell a singular position from a poor basis of tails.
    is_singular_ = sees_all_ && knows_rank_ && !is_open && best.free > 0;
    watch_rank(static_cast<int>(ws.vdot.size()) - best.free);
    report_.switches += used_ != before || best.switched ? 1 : 0;
    report_.quality = knows_rank_ && best.free > 0 ? 0.0 : best.smallest;
    report_.conditioning = best.smallest;
  }

  /// The first plan with strong pivots, or the best of all.
  RcrBasis choose_plan(const Workspace& ws, double tolerance) noexcept {
    RcrBasis best;
    for (const auto& plan : plans_) {
      const RcrBasis basis = plan->choose(ws, tolerance);
      const bool stronger = basis.free == best.free && basis.smallest > kClearlyBetter * best.smallest;
      if (plan == plans_[0] || basis.free < best.free || stronger) {
        used_ = plan.get();
        best = basis;
      }
      if (best.smallest >= kStrong && (knows_rank_ ? best.free == 0 : !best.lost_rows)) break;
    }
    return best;
  }

  /// Massless bodies may leave a short segment without inertia of its own, where whole loops have enough.
  bool solve_elsewhere(const Workspace& ws) noexcept {
    if (held_) return false;
    Plan* const failed = used_;
    for (const auto& plan : plans_) {
      if (plan.get() == failed) continue;
      plan->choose(ws, rank_tolerance(ws));
      used_ = plan.get();
      if (used_->solve(required_, ws)) return true;
    }
    return false;
  }

  void without_forces() noexcept { std::fill(used_->bodies().F.begin(), used_->bodies().F.end(), SpatialVector{}); }

  /// Response of all speeds to a unit force in every coupling.
  void couple() noexcept {
    for (Eigen::Index i = 0; i < couplings_.count(); ++i) {
      without_forces();
      couplings_.unit_force(i, tau_);
      used_->sweep(closed_, tau_);
      couplings_.rates().setZero();
      used_->take_speeds(couplings_.rates());
      couplings_.keep_rates(i);
    }
    couplings_.factorize(used_->mechanism().graph, used_->mechanism().motion);
  }

  std::vector<std::unique_ptr<Plan>> plans_;
  Plan* used_;
  bool sees_all_;  // the last plan has whole loops
  bool knows_rank_;
  bool is_singular_ = false;
  ConstraintTarget required_;
  const ConstraintTarget closed_;  // no motion
  VectorX tau_, free_;
  CouplingResponse couplings_;
  bool held_ = false;
};

}  // namespace

constinit const DynamicsKind kRcr{
    "rcr", "recursive coordinate reduction, O(n + m) with loops (000)", accept_all,
    [](const Model& model) -> std::unique_ptr<Dynamics> { return std::make_unique<Rcr>(model); }};

}  // namespace kinloop::formulations
