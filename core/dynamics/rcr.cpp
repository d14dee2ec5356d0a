// Recursive coordinate reduction: paper 000 §3-5 (RCR, ACS, GCL) in one recursion; MATH 4.
//
// The mechanism is cut into segments (core/loops/segments.hpp), which are eliminated one after the other, leaves first
// (rcr_segment.hpp); then accelerations are found from the ground outward. Cost: O(bodies + loops) as long as tails do
// not overlap.
//
//   paper                    here
//   loop i, base body 0_i    GraphClosing: tip, base; the tree is grown depth first (MATH 4.1)
//   RCR §3                   a tail of its own: segment and loop are one
//   ACS §4                   tails that grow beyond a bad end, and spare coordinates among which pivoting chooses
//   GCL §5                   bases as externals, and inertias between bodies and open bases
#include <vector>

#include "core/dynamics/accelerations.hpp"
#include "core/dynamics/coupling_response.hpp"
#include "core/dynamics/formulations.hpp"
#include "core/dynamics/rcr_segment.hpp"
#include "core/loops/rank_tolerance.hpp"

namespace kinloop::formulations {
namespace {

std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

class Rcr final : public Dynamics {
 public:
  explicit Rcr(const Model& model)
      : length_m_(model.length_m()),
        mechanism_(model),
        bodies_(model, mechanism_),
        mass_(at(model.body_count())),
        required_(model),
        tau_(VectorX::Zero(model.nv())),
        couplings_(model) {
    for (const Segment& segment : mechanism_.plan.segments)
      segments_.push_back(make_segment_elimination(segment, mechanism_));
    for (int k = 1; k < model.body_count(); ++k) mass_[at(k)] = model.body(k).mass;
  }

  std::string_view name() const noexcept override { return kRcr.name; }
  void hold_choice() noexcept override { held_ = true; }
  void release_choice() noexcept override { held_ = false; }

  StepStatus solve(const Model& model, Workspace& ws) noexcept override {
    mechanism_.motion.update(mechanism_.graph, ws);
    mechanism_.rows.update(ws);
    if (!factorize(ws)) return StepStatus::kSingularMass;
    required_acceleration(ws, required_);
    for (std::size_t k = 1; k < mass_.size(); ++k) bodies_.F[k] = {ws.load[k].n, ws.load[k].f};
    sweep(required_, ws.tau);
    ws.vdot = ws.prescribed;
    take_speeds(ws.vdot);
    if (couplings_.count() == 0) {
      ws.A = bodies_.A;
      return StepStatus::kOk;
    }
    couplings_.rates().setZero();
    take_speeds(couplings_.rates());
    couplings_.apply(required_.coupling, couplings_.rates());
    ws.vdot = ws.prescribed + couplings_.rates();
    update_body_accelerations(model, ws);
    return StepStatus::kOk;
  }

  void correct(const ClosureMotion& motion, VectorX& step) noexcept override {
    without_forces();
    tau_.setZero();
    sweep(motion, tau_);
    step.setZero();
    take_speeds(step);
    if (couplings_.count() > 0) couplings_.apply(motion.coupling, step);
  }

 private:
  bool factorize(const Workspace& ws) noexcept {
    for (std::size_t k = 1; k < mass_.size(); ++k) bodies_.K[k] = rigid_inertia(mass_[k], ws.load[k]);
    for (Matrix6& block : bodies_.cross) block.setZero();
    const double tolerance = held_ ? stage_tolerance(ws, length_m_) : rank_tolerance(ws);
    bool regular = true;
    for (const auto& segment : segments_) {
      regular = segment->factorize(mechanism_, tolerance, held_, bodies_) && regular;
    }
    if (regular && couplings_.count() > 0) couple();
    return regular;
  }

  /// Unknowns and accelerations from the forces in F, tau per speed and the motions wanted of the closures.
  void sweep(const ClosureMotion& wanted, const VectorX& tau) noexcept {
    for (const auto& segment : segments_) segment->inward(mechanism_, wanted, tau, bodies_);
    bodies_.A[0] = Pair{};
    for (std::size_t s = segments_.size(); s-- > 0;) segments_[s]->outward(mechanism_, wanted, bodies_);
  }

  void without_forces() noexcept { std::fill(bodies_.F.begin(), bodies_.F.end(), Pair{}); }

  /// Response of all speeds to a unit force in every coupling.
  void couple() noexcept {
    std::fill(required_.loop.begin(), required_.loop.end(), Pair{});
    for (Eigen::Index i = 0; i < couplings_.count(); ++i) {
      without_forces();
      couplings_.unit_force(i, tau_);
      sweep(required_, tau_);
      couplings_.rates().setZero();
      take_speeds(couplings_.rates());
      couplings_.keep_rates(i);
    }
    couplings_.factorize(mechanism_.graph, mechanism_.motion);
  }

  void take_speeds(VectorX& rates) const noexcept {
    for (int j = 0; j < mechanism_.graph.slot_count(); ++j) {
      const int speed = mechanism_.graph.slot_speed[at(j)];
      if (speed >= 0) rates[speed] = bodies_.u[j];
    }
  }

  double length_m_;
  RcrMechanism mechanism_;
  RcrBodies bodies_;
  std::vector<std::unique_ptr<SegmentElimination>> segments_;
  std::vector<double> mass_;
  ClosureMotion required_;
  VectorX tau_;
  CouplingResponse couplings_;
  bool held_ = false;
};

}  // namespace

constinit const DynamicsKind kRcr{
    "rcr", "recursive coordinate reduction, O(n + m) with loops (000)", accept_all,
    [](const Model& model) -> std::unique_ptr<Dynamics> { return std::make_unique<Rcr>(model); }};

}  // namespace kinloop::formulations
