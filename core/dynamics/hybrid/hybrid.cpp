// The hybrid formulation: paper 002, Anderson and Duan, section 5; docs/theory/cut-chains.md.
//
//   step of the paper                       here
//   I-IV   kinematics                       update_kinematics() of the whole tree, before solve()
//          Q, orthogonal complement         orient_cut()
//   V, VI  sweeps of each subchain          reduce_piece(): the second sweep is not needed (hybrid_sweeps.cpp)
//   VII, VIII  Gamma f_c = Psi              solve_directly() or ConjugateGradients
//   IX     accelerations                    expand_piece(), join_cut()
//
// Beyond the paper: joints of any number of dofs, also cut ones; branches, also in the graph of pieces; torques,
// rotors and driven speeds at cut joints. The joints' coordinates remain the state, so that nothing drifts apart at the
// cuts. Every loop over pieces or cuts below has independent turns.
#include "core/dynamics/hybrid/hybrid.hpp"

#include "core/base/at.hpp"
#include "core/base/require.hpp"
#include "core/dynamics/formulations.hpp"
#include "core/dynamics/hybrid/hybrid_sweeps.hpp"

namespace kinloop {

Hybrid::Hybrid(const Model& model, const HybridOptions& options)
    : solver_(options.solver),
      max_iterations_(options.max_iterations),
      tolerance_(options.tolerance),
      partition_(hybrid::make_partition(
          model, options.cut_bodies.empty() ? automatic_cuts(model, options.pieces) : options.cut_bodies)),
      gradients_(partition_),
      h_(at(model.body_count())),
      eliminated_(at(model.nv())) {
  if (max_iterations_ <= 0) max_iterations_ = 2 * partition_.rows;
}

std::string_view Hybrid::name() const noexcept { return formulations::kHybrid.name; }

StepStatus Hybrid::solve(const Model& model, Workspace& ws) noexcept {
  for (hybrid::Cut& cut : partition_.cuts) orient_cut(model, ws, cut);
  bool regular = true;
  for (hybrid::Piece& piece : partition_.pieces) {
    regular = reduce_piece(model, ws, partition_, piece, h_.data(), eliminated_.data()) && regular;
  }
  if (!regular) return StepStatus::kSingularMass;

  StepStatus status = StepStatus::kOk;
  iterations_ = 0;
  if (solver_ == HybridOptions::Solver::kDirect) {
    status = solve_directly(partition_);
  } else {
    const auto outcome = gradients_.solve(partition_, max_iterations_, tolerance_);
    status = outcome.status;
    iterations_ = outcome.iterations;
  }
  if (status != StepStatus::kOk) return status;

  for (const hybrid::Piece& piece : partition_.pieces) expand_piece(model, piece, eliminated_.data(), ws);
  for (const hybrid::Cut& cut : partition_.cuts) join_cut(model, cut, ws);
  return StepStatus::kOk;
}

std::unique_ptr<Hybrid> make_hybrid(const Model& model, const HybridOptions& options) {
  require(hybrid_refusal(model, options).empty(), "the model can be cut where the options say");
  return std::make_unique<Hybrid>(model, options);
}

namespace formulations {

constinit const DynamicsKind kHybrid{
    "hybrid", "tree cut into pieces for several cores, coupled by cut forces (002)", refuse_loops,
    [](const Model& model) -> std::unique_ptr<Dynamics> { return make_hybrid(model, {}); }};

}  // namespace formulations
}  // namespace kinloop
