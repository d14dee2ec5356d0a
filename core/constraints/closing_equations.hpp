// Owns ClosingEquations: the loop constraints as equations for the speeds that may move, scaled to like sizes.
#pragma once

#include <vector>

#include "core/constraints/constraints.hpp"

namespace kinloop {

/// For analysis and start-up: it allocates.
class ClosingEquations {
 public:
  /// The model must outlive it. Speeds marked in `held` (one entry per speed) and driven ones do not move.
  ClosingEquations(const Model& model, const std::vector<char>& held);

  const std::vector<int>& free() const noexcept { return free_; }
  const Workspace& workspace() const noexcept { return ws_; }

  /// Where, and how fast, everything that follows is meant.
  void update(const VectorX& q, const VectorX& v);
  void update_at_rest(const VectorX& q) { update(q, at_rest_); }

  /// Errors of all rows.
  const VectorX& position_errors();
  const VectorX& velocity_errors();
  /// How the rows change with the free speeds; a unit of each moves the mechanism by about its length.
  MatrixX scaled_columns();
  /// One entry per speed of the model from one per scaled free speed.
  VectorX unscaled(const VectorX& step) const;

 private:
  const Model& model_;
  std::vector<int> free_;
  Workspace ws_;
  ConstraintTarget target_;
  MatrixX C_;
  VectorX errors_, at_rest_;
};

}  // namespace kinloop
