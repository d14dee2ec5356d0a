// Owns RankReferee: one measure of the rank for all formulations, next to singular positions.
//
// Each formulation sees the constraints in coordinates of its own (weighted by inertia, or loop by loop), in which a
// weak row is a few times weaker or stronger. Where that decides whether the row counts, formulations would go
// different ways: one that keeps a row of 1e-9 is thrown by it, one that drops it passes on. Here a third decides for
// them.
#pragma once

#include <vector>

#include "core/constraints/rank_tolerance.hpp"
#include "core/constraints/row_measure.hpp"

namespace kinloop {

/// The rows of C, brought to size 1, along the given speeds, brought to size 1, as columns of the factorization. No
/// allocation.
void fill_scaled_rows(const Model& model, const Workspace& ws, const std::vector<int>& speeds,
                      const RowMeasure& measure, const MatrixX& C, PivotedQr& qr) noexcept;

class RankReferee {
 public:
  explicit RankReferee(const Model& model);

  /// Whether it is to be asked: loops are closed, and the mechanism is not so large that the answer costs more than the
  /// evaluation.
  bool is_called(const Workspace& ws) const noexcept { return is_ready_ && closure_error(ws) <= kLoopsClosed; }
  /// Whether coordinates may have decided: a pivot of this share was the weakest kept, or the strongest left.
  static bool is_doubtful(double share) noexcept { return share > 1e-13 && share < 1e-6; }

  /// By the rows alone. No allocation.
  int rank(const Model& model, const Workspace& ws) noexcept;

 private:
  bool is_ready_;
  std::vector<int> speeds_;
  RowMeasure measure_;
  MatrixX C_;
  PivotedQr qr_;
};

}  // namespace kinloop
