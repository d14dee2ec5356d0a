// Owns KeptRows: the directions that the closures blocked when a method made its factors, for later right sides.
#pragma once

#include "core/loops/constraints.hpp"

namespace kinloop {

class KeptRows {
 public:
  explicit KeptRows(const Model& model) : directions_(model.loops().size()) {}

  void keep(const Workspace& ws) noexcept {
    for (std::size_t i = 0; i < directions_.size(); ++i) directions_[i] = ws.closure[i].directions;
  }

  /// constraint_values() with the directions that were kept.
  void values(const ClosureMotion& motion, VectorX& out) const noexcept {
    Eigen::Index row = 0;
    for (std::size_t i = 0; i < directions_.size(); ++i) {
      const JointDirections& d = directions_[i];
      for (std::size_t r = 0; r < static_cast<std::size_t>(d.rows); ++r) out[row++] = dot(d.G[r], motion.loop[i]);
    }
    out.tail(motion.coupling.size()) = motion.coupling;
  }

 private:
  std::vector<JointDirections> directions_;
};

}  // namespace kinloop
