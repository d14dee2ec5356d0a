// Recursive coordinate reduction: paper 000 §3-5 (RCR, ACS, GCL) in one recursion; docs/theory/rcr.md.
//
// The mechanism is cut into segments (core/topology/segments.hpp), which are eliminated one after the other, leaves
// first (rcr_segment.hpp); then accelerations are found from the ground outward. Cost: O(bodies + loops) as long as
// tails do not overlap.
//
//   paper                    here
//   loop i, base body 0_i    GraphClosing: tip, base; the tree is grown depth first (docs/theory/rcr.md §2)
//   RCR §3                   a tail of its own: segment and loop are one
//   ACS §4                   tails that grow beyond a bad end, and spare coordinates among which pivoting chooses
//   GCL §5                   bases as boundary bodies, and inertias between bodies and open bases
//   opening joint            short tails from a search forward and backward, then whole loops: where one plan's
//                            dependents are a poor basis the next is looked at (Figures 4, 5 and 8a), for each
//                            component of loops by itself (rcr_system.hpp)
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/constraints/rank_referee.hpp"
#include "core/constraints/rank_tolerance.hpp"
#include "core/dynamics/formulations.hpp"
#include "core/dynamics/inverse_dynamics.hpp"
#include "core/dynamics/planar_form.hpp"
#include "core/dynamics/rcr/coupling_response.hpp"
#include "core/dynamics/rcr/rcr_system.hpp"

namespace kinloop::formulations {
namespace {

template <class Algebra>
class Rcr final : public Dynamics {
 public:
  explicit Rcr(const Model& model, typename Algebra::View view = typename Algebra::View())
      : system_(model, std::move(view)),
        referee_(model),
        required_(model),
        closed_(model),
        tau_(VectorX::Zero(model.nv())),
        free_(VectorX::Zero(model.nv())),
        couplings_(model, system_.plan().plan.couplings_apart) {
    closed_.is_zero = true;
  }

  std::string_view name() const noexcept override { return kRcr.name; }
  void freeze_basis() noexcept override { held_ = true; }
  void release_basis() noexcept override { held_ = false; }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    required_acceleration(ws, required_);
    if (!solve_loops(model, ws)) return StepStatus::kSingularMass;
    free_.setZero();
    system_.take_speeds(free_);
    if (couples_apart()) {
      couple();
      couplings_.apply(required_.coupling, free_);
    }
    ws.vdot = ws.prescribed + free_;
    // Along the file's tree: what the plan found along its own would hide what its closings miss.
    update_body_accelerations(model, ws);
    return StepStatus::kOk;
  }

  bool takes_armature(const VectorX& added) const noexcept override { return system_.takes_armature(added); }

  void refine(const VectorX& tau, const ConstraintTarget& gap, VectorX& change) noexcept override {
    system_.clear_forces();
    refining_sweep(tau, gap, change);
  }
  void refine_bodies(const Model& /*model*/, const Workspace& /*ws*/, std::vector<SpatialVector>& force, VectorX& tau,
                     const ConstraintTarget& gap, VectorX& change) noexcept override {
    system_.set_forces(force);
    refining_sweep(tau, gap, change);
  }

  bool is_singular() const noexcept override { return is_singular_; }

  void project(const ConstraintTarget& motion, VectorX& step) noexcept override {
    tau_.setZero();
    system_.clear_forces();
    system_.sweep(motion, tau_);
    take(motion, step);
  }

 private:
  /// Couplings that are not rows of segments are multipliers on top of them.
  bool couples_apart() const noexcept { return couplings_.count() > 0; }

  /// By the state alone: the basis needs no memory, so that a run continued from a State goes on with the same bits.
  bool solve_loops(const Model& model, const Workspace& ws) noexcept {
    if (held_) {
      system_.hold(ws);
      return system_.solve_held(required_, ws);
    }
    const double error = closure_error(ws);
    system_.choose(ws, rank_tolerance(error));
    // Where loops are open a tolerance wide enough for rows that depend on each other may drop others.
    const bool is_open = system_.knows_rank() && error > kLoopsClosed;
    const auto lacks_rank = [&] { return is_open && !system_.delays_rows() && system_.basis().free > 0; };
    for (double tolerance = error; lacks_rank() && tolerance > 1e-4 * error; tolerance *= 1e-2) {
      system_.choose(ws, std::max(tolerance, kSmallestPivotShare));
    }
    const double tolerance = decide_rank(model, ws, rank_tolerance(error));
    const bool solved = system_.solve(required_, ws, tolerance);
    const RcrBasis basis = system_.basis();
    is_singular_ = system_.knows_rank() && !is_open && basis.free > 0;
    watch_rank(static_cast<int>(ws.vdot.size()) - basis.free);
    report_.switches += system_.has_switched() || basis.switched ? 1 : 0;
    report_.quality = system_.knows_rank() && basis.free > 0 ? 0.0 : basis.smallest;
    report_.conditioning = basis.smallest;
    return solved;
  }

  /// Next to a singular position pivots of single loops say little: as many count as in all rows together. Returns the
  /// tolerance by which they do.
  double decide_rank(const Model& model, const Workspace& ws, double tolerance) noexcept {
    constexpr int kMaxChanges = 4;
    const RcrBasis first = system_.basis();
    const bool is_doubtful =
        RankReferee::is_doubtful(first.smallest) || (first.free != 0 && RankReferee::is_doubtful(first.left));
    const bool knows_rank = model.generic_rank().all >= 0;
    if (!is_doubtful || !knows_rank || system_.delays_rows() || couples_apart() || !referee_.is_called(ws)) {
      return tolerance;
    }
    const int free = model.generic_rank().all - referee_.rank(model, ws);
    for (int i = 0; i < kMaxChanges && system_.basis().free != free; ++i) {
      tolerance = system_.basis().free > free ? 0.1 * tolerance : 2.0 * system_.basis().smallest;
      system_.choose(ws, tolerance);
    }
    return tolerance;
  }

  /// With the forces on bodies that are in the system.
  void refining_sweep(const VectorX& tau, const ConstraintTarget& gap, VectorX& change) noexcept {
    system_.refining_sweep(gap, tau);
    take(gap, change);
  }

  /// What the last sweep found.
  void take(const ConstraintTarget& gap, VectorX& change) noexcept {
    change.setZero();
    system_.take_speeds(change);
    if (couples_apart()) couplings_.apply(gap.coupling, change);
  }

  /// Response of all speeds to a unit force in every coupling.
  void couple() noexcept {
    for (Eigen::Index i = 0; i < couplings_.count(); ++i) {
      system_.clear_forces();
      couplings_.unit_force(i, tau_);
      system_.sweep(closed_, tau_);
      couplings_.rates().setZero();
      system_.take_speeds(couplings_.rates());
      couplings_.keep_rates(i);
    }
    couplings_.factorize(system_.plan().graph, system_.plan().motion);
  }

  BasicRcrSystem<Algebra> system_;
  RankReferee referee_;
  bool is_singular_ = false;
  ConstraintTarget required_;
  ConstraintTarget closed_;  // no motion
  VectorX tau_, free_;
  CouplingResponse couplings_;
  bool held_ = false;
};

}  // namespace

constinit const DynamicsKind kRcr{"rcr", "recursive coordinate reduction, O(n + m) with loops (000)", accept_all,
                                  [](const Model& model) -> std::unique_ptr<Dynamics> {
                                    if (auto plane = find_motion_plane(model)) {
                                      return std::make_unique<Rcr<PlanarAlgebra>>(model, PlanarView(std::move(*plane)));
                                    }
                                    return make_spatial_rcr(model);
                                  }};

std::unique_ptr<Dynamics> make_spatial_rcr(const Model& model) { return std::make_unique<Rcr<SpatialAlgebra>>(model); }

}  // namespace kinloop::formulations
