// Solves for the cut forces: paper 002, equation (65) and step VIII.
//
//   paper             here
//   Gamma_ii (56)     inner.gamma at the tip + outer.gamma at the base + compliance of a speed with a rotor
//   Gamma_i,i-+1      off-diagonal blocks of one piece's gamma: two cuts share at most one piece
//   Psi (58)          -(inner.eta at the tip + outer.eta at the base)
//   Gamma_d           ConjugateGradients::blocks_
//
// A speed of a cut joint with a rotor of inertia Ia has relative acceleration W^T (A_base - X A_tip) = vdot, and its
// component of the cut force is what the rotor takes, Ia vdot: hence 1 / Ia on the diagonal. A driven speed is the
// limit of an infinite rotor, a free one that of none.
#include "core/dynamics/hybrid/hybrid_forces.hpp"

#include <Eigen/Cholesky>
#include <cmath>

namespace kinloop::hybrid {
namespace {

/// Adds what an outer piece, all its own tips eliminated, does to the tip it hangs on.
void add_outer_piece(const Cut& cut, const Piece& outer, Piece& inner) noexcept {
  auto block = inner.front.block(cut.column, cut.column, cut.rows, cut.rows);
  block += outer.front.bottomRightCorner(cut.rows, cut.rows);
  for (int i = 0; i < cut.rows; ++i) block(i, i) += cut.compliance[i];
  inner.right.segment(cut.column, cut.rows) += outer.right.tail(cut.rows);
}

/// Cholesky of the tips' columns; the base's block becomes its Schur complement. Lower triangle, in place.
bool eliminate_tips(Piece& piece) noexcept {
  const int n = piece.columns;
  for (int j = 0; j < piece.tip_columns; ++j) {
    double* column = piece.front.col(j).data();
    if (!(column[j] > 0.0)) return false;
    const double inverse = 1.0 / std::sqrt(column[j]);
    for (int i = j; i < n; ++i) column[i] *= inverse;
    piece.right[j] *= inverse;
    for (int k = j + 1; k < n; ++k) {
      double* later = piece.front.col(k).data();
      for (int i = k; i < n; ++i) later[i] -= column[k] * column[i];
      piece.right[k] -= column[k] * piece.right[j];
    }
  }
  return true;
}

/// The tips' forces, from that of the base.
void substitute_back(Piece& piece) noexcept {
  const int n = piece.columns;
  for (int j = piece.tip_columns - 1; j >= 0; --j) {
    const double* column = piece.front.col(j).data();
    double f = piece.right[j];
    for (int i = j + 1; i < n; ++i) f -= column[i] * piece.f[i];
    piece.f[j] = f / column[j];
  }
}

/// The piece's share of a vector of all cut forces.
void scatter(const Partition& partition, const VectorX& forces, Piece& piece) noexcept {
  for (const int c : piece.tip_cuts) {
    const Cut& cut = partition.cuts[c];
    piece.f.segment(cut.column, cut.rows) = forces.segment(cut.first_row, cut.rows);
  }
  if (piece.base_cut < 0) return;
  const Cut& cut = partition.cuts[piece.base_cut];
  piece.f.tail(cut.rows) = forces.segment(cut.first_row, cut.rows);
}

}  // namespace

StepStatus solve_directly(Partition& partition) noexcept {
  for (std::size_t p = partition.pieces.size(); p-- > 0;) {
    Piece& piece = partition.pieces[p];
    piece.front = piece.gamma;
    piece.right = -piece.eta;
    for (const int c : piece.tip_cuts) {
      const Cut& cut = partition.cuts[c];
      add_outer_piece(cut, partition.pieces[cut.outer], piece);
    }
    if (!eliminate_tips(piece)) return StepStatus::kSingularMass;
  }
  for (Piece& piece : partition.pieces) {
    substitute_back(piece);
    for (const int c : piece.tip_cuts) {
      const Cut& cut = partition.cuts[c];
      Piece& outer = partition.pieces[cut.outer];
      outer.f.tail(cut.rows) = piece.f.segment(cut.column, cut.rows);
    }
  }
  return StepStatus::kOk;
}

ConjugateGradients::ConjugateGradients(const Partition& partition)
    : blocks_(partition.cuts.size(), Matrix6::Identity()),
      f_(VectorX::Zero(partition.rows)),
      r_(f_),
      z_(f_),
      p_(f_),
      Gp_(f_) {}

bool ConjugateGradients::factor_blocks(const Partition& partition) noexcept {
  for (std::size_t c = 0; c < partition.cuts.size(); ++c) {
    const Cut& cut = partition.cuts[c];
    const Piece& inner = partition.pieces[cut.inner];
    const Piece& outer = partition.pieces[cut.outer];
    Matrix6 block = Matrix6::Identity();
    auto used = block.topLeftCorner(cut.rows, cut.rows);
    used = inner.gamma.block(cut.column, cut.column, cut.rows, cut.rows);
    used += outer.gamma.block(outer.tip_columns, outer.tip_columns, cut.rows, cut.rows);
    for (int i = 0; i < cut.rows; ++i) {
      block(i, i) += cut.compliance[i];
      r_[cut.first_row + i] = -(inner.eta[cut.column + i] + outer.eta[outer.tip_columns + i]);  // Psi
    }
    const Eigen::LLT<Matrix6> llt(block);
    if (llt.info() != Eigen::Success) return false;
    blocks_[c] = llt.matrixL();
  }
  return true;
}

/// z = Gamma_d^-1 r.
void ConjugateGradients::precondition(const Partition& partition) noexcept {
  for (std::size_t c = 0; c < partition.cuts.size(); ++c) {
    const Cut& cut = partition.cuts[c];
    Vector6 z = Vector6::Zero();
    z.head(cut.rows) = r_.segment(cut.first_row, cut.rows);
    blocks_[c].triangularView<Eigen::Lower>().solveInPlace(z);
    blocks_[c].triangularView<Eigen::Lower>().transpose().solveInPlace(z);
    z_.segment(cut.first_row, cut.rows) = z.head(cut.rows);
  }
}

/// Gp = Gamma p: each piece multiplies its own gamma, then each cut adds its two pieces.
void ConjugateGradients::multiply(Partition& partition) noexcept {
  for (Piece& piece : partition.pieces) {
    scatter(partition, p_, piece);
    piece.right = piece.gamma.lazyProduct(piece.f);
  }
  for (const Cut& cut : partition.cuts) {
    const Piece& inner = partition.pieces[cut.inner];
    const Piece& outer = partition.pieces[cut.outer];
    for (int i = 0; i < cut.rows; ++i) {
      const int row = cut.first_row + i;
      Gp_[row] = inner.right[cut.column + i] + outer.right[outer.tip_columns + i] + cut.compliance[i] * p_[row];
    }
  }
}

ConjugateGradients::Outcome ConjugateGradients::solve(Partition& partition, int max_iterations,
                                                      double tolerance) noexcept {
  if (!factor_blocks(partition)) return {StepStatus::kSingularMass, 0};
  f_.setZero();
  precondition(partition);
  p_ = z_;
  double rz = r_.dot(z_);
  const double limit = tolerance * tolerance * rz;
  if (!std::isfinite(rz)) return {StepStatus::kDiverged, 0};
  int iterations = 0;
  while (rz > limit) {
    if (iterations == max_iterations) return {StepStatus::kNotConverged, iterations};
    ++iterations;
    multiply(partition);
    const double alpha = rz / p_.dot(Gp_);
    f_ += alpha * p_;  // missing from the paper's listing (docs/theory/cut-chains.md §5)
    r_ -= alpha * Gp_;
    precondition(partition);
    const double next = r_.dot(z_);
    if (!std::isfinite(next)) return {StepStatus::kDiverged, iterations};
    p_ = z_ + (next / rz) * p_;
    rz = next;
  }
  for (Piece& piece : partition.pieces) scatter(partition, f_, piece);
  return {StepStatus::kOk, iterations};
}

}  // namespace kinloop::hybrid
