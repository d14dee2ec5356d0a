// Owns the equations Gamma f = Psi of the cut forces, 002 (65), and two ways to solve them.
//
// Gamma is the sum of what the pieces add, and pieces hang together as a tree. Eliminated from the outermost piece
// inwards it fills no further block; for a chain this is block-tridiagonal Cholesky.
#pragma once

#include <vector>

#include "core/base/status.hpp"
#include "core/dynamics/hybrid/hybrid_pieces.hpp"

namespace kinloop::hybrid {

/// Writes piece.f of all pieces, by Cholesky elimination.
StepStatus solve_directly(Partition& partition) noexcept;

/// Conjugate gradients with the diagonal blocks of Gamma as preconditioner. Starts from zero, so that the result
/// depends on the state alone.
class ConjugateGradients {
 public:
  explicit ConjugateGradients(const Partition& partition);

  struct Outcome {
    StepStatus status;
    int iterations;
  };
  /// Writes piece.f of all pieces if it converges.
  Outcome solve(Partition& partition, int max_iterations, double tolerance) noexcept;

 private:
  bool factor_blocks(const Partition& partition) noexcept;
  void precondition(const Partition& partition) noexcept;
  void multiply(Partition& partition) noexcept;

  IndexedVector<Matrix6> blocks_;  // Cholesky factors, one per cut
  VectorX f_, r_, z_, p_, Gp_;
};

}  // namespace kinloop::hybrid
