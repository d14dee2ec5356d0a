// Owns FrozenConstraintRows: the directions that the loop constraints blocked when a method made its factors, for later
// right sides.
#pragma once

#include "core/constraints/constraints.hpp"

namespace kinloop {

class FrozenConstraintRows {
 public:
  explicit FrozenConstraintRows(const Model& model) {
    rows_.reserve(static_cast<std::size_t>(constraint_rows(model)));
    for (std::size_t i = 0; i < model.loops().size(); ++i) {
      for (int r = 0; r < model.loops()[i].directions->rows; ++r) rows_.push_back({i, r, {}});
    }
  }

  void keep(const Workspace& ws) noexcept {
    for (Row& row : rows_) row.G = ws.loop_constraint[row.loop].G(row.index);
  }

  /// constraint_values() with the directions that were kept.
  void values(const ConstraintTarget& motion, VectorX& out) const noexcept {
    Eigen::Index i = 0;
    for (const Row& row : rows_) out[i++] = dot(row.G, motion.loop[row.loop]);
    out.tail(motion.coupling.size()) = motion.coupling;
  }

 private:
  struct Row {
    std::size_t loop = 0;
    int index = 0;
    SpatialVector G;
  };
  std::vector<Row> rows_;
};

}  // namespace kinloop
