// Owns the hybrid formulation (paper 002): a tree cut into pieces that are treated one by one, coupled by cut forces.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/dynamics/forward_dynamics.hpp"
#include "core/dynamics/hybrid/hybrid_forces.hpp"
#include "core/dynamics/hybrid/hybrid_pieces.hpp"

namespace kinloop {

struct HybridOptions {
  enum class Solver { kDirect, kConjugateGradients };

  std::vector<int> cut_bodies;  // the inboard joints of these bodies are cut; empty: chosen by automatic_cuts()
  int pieces = 0;               // that choice's number of pieces, 0: about sqrt(bodies); 1 cuts nothing
  Solver solver = Solver::kDirect;
  int max_iterations = 0;      // of the conjugate gradients, 0: twice the number of unknown cut forces
  double tolerance = 1.0e-13;  // of the residual in the preconditioner's norm, relative to the right side
};

/// Cuts that leave about that many pieces of about equal size, only at joints where hybrid_refusal() allows it.
std::vector<int> automatic_cuts(const Model& model, int pieces);

/// Empty if the model can be cut there, else why not: both bodies of a cut joint need mass and three moments of inertia
/// of their own, since each piece must move as a free body on its own.
std::string hybrid_refusal(const Model& model, const HybridOptions& options);

/// The formulation with what tuning wants to see of it.
class Hybrid final : public Dynamics {
 public:
  Hybrid(const Model& model, const HybridOptions& options);

  std::string_view name() const noexcept override;
  /// Which speeds have rows at the cuts is decided by the model.
  bool takes_armature(const VectorX& added) const noexcept override { return added.isZero(0.0); }
  StepStatus solve(const Model& model, Workspace& ws) noexcept override;

  /// Iterations of the last solve(); 0 with the direct solver.
  int iterations() const noexcept { return iterations_; }

 private:
  HybridOptions::Solver solver_;
  int max_iterations_;
  double tolerance_;
  int iterations_ = 0;
  hybrid::Partition partition_;
  hybrid::ConjugateGradients gradients_;
  IndexedVector<ArticulatedInertia> h_;    // per body; a piece writes those of its bodies only
  IndexedVector<Elimination> eliminated_;  // per speed, likewise
};

/// Needs an empty hybrid_refusal().
std::unique_ptr<Hybrid> make_hybrid(const Model& model, const HybridOptions& options);

}  // namespace kinloop
