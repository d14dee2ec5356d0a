// Owns the projective criterion of paper 001, section 3: how well each coordinate follows the dofs of a mechanism.
//
// In the metric of inertia, alpha_i is the angle between the direction of coordinate i and the space of allowed
// motions. cos^2 alpha_i = K_ii / (M^-1)_ii, where K is the inverse inertia of the closed mechanism: how readily the
// coordinate moves with the loops closed, against how readily with the loops open. 1: the loops do not hinder it; 0: it
// cannot move. Independent coordinates are taken one after the other, each judged with the ones before it held: the k
// largest cosines alone may be dependent on each other (docs/theory/constraints.md §6).
#pragma once

#include <vector>

#include "core/math/pivoted_qr.hpp"

namespace kinloop {

class ProjectiveCriterion {
 public:
  /// For n speeds and at most `rows` constraints. Nothing allocates afterwards.
  ProjectiveCriterion(Eigen::Index n, Eigen::Index rows);

  /// False if some speed moves no inertia.
  bool set_inertia(const MatrixX& M) noexcept;
  /// (23b): from the first r rows of B, independent constraints.
  void use_constraints(const MatrixX& B, Eigen::Index r) noexcept;
  /// (23a): from the first k rows of D, which span the allowed motions, and the Cholesky factor of D M D^T.
  void use_dofs(const MatrixX& D, const MatrixX& L, Eigen::Index k) noexcept;

  double cosine2(Eigen::Index i) const noexcept { return K_(i, i) / mobility_[i]; }

  /// Marks k speeds as independent; returns the product of their cosines squared, the set's quality.
  double choose(int k, std::vector<char>& independent) noexcept;
  /// The quality of a given set, whose inverse inertia is known by its Cholesky factor.
  double quality(const std::vector<char>& independent, const MatrixX& L) const noexcept;

 private:
  MatrixX L_;         // of M
  VectorX mobility_;  // (M^-1)_ii
  MatrixX K_, G_;
  PivotedQr qr_;
  MatrixX rows_;  // one vector per speed whose products are K
  VectorX work_;
};

}  // namespace kinloop
