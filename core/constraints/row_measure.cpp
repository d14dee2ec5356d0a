// Walks around every loop from its closing joint, in both directions at once.
#include "core/constraints/row_measure.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/at.hpp"
#include "core/constraints/constraints.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"

namespace kinloop {
namespace {

double length_around(const Model& model, const LoopJoint& loop, const LoopConstraint& constraint, const Workspace& ws) {
  struct Side {
    int body;
    Vec3 arm;  // from x of the body to the closing point
  };
  Side a{loop.predecessor, constraint.arm_pred};
  Side b{loop.successor, constraint.arm_succ};
  int spanned = loop.directions->dofs;
  double largest2 = 0.0;
  while (a.body != b.body && spanned < 6) {
    // The joint further out belongs to the loop for certain; numbers grow outward.
    Side& side = a.body > b.body ? a : b;
    largest2 = std::max(largest2, dot(side.arm, side.arm));
    spanned += model.body(side.body).nv;
    side.arm += ws.motion[at(side.body)].r;
    side.body = model.body(side.body).parent;
  }
  return largest2 > 0.0 ? std::sqrt(largest2) : model.length_m();
}

}  // namespace

std::vector<double> find_loop_lengths_m(const Model& model) {
  std::vector<double> lengths;
  Workspace ws(model);
  const VectorX at_rest = VectorX::Zero(model.nv());
  update_kinematics(model, model.initial_q().data(), at_rest.data(), 0.0, ws);
  update_loop_constraints(model, model.initial_q().data(), at_rest.data(), 0.0, ws);
  for (std::size_t i = 0; i < model.loops().size(); ++i) {
    lengths.push_back(length_around(model, model.loops()[i], ws.loop_constraint[i], ws));
  }
  return lengths;
}

RowMeasure::RowMeasure(const Model& model) : scale(VectorX::Ones(constraint_rows(model))) {
  const std::span<const double> lengths_m = model.loop_lengths_m();
  for (std::size_t i = 0; i < lengths_m.size(); ++i) {
    // Of directions that change with coordinates, sizes do not.
    const JointSubspaces& directions = *model.loops()[i].directions;
    const auto first = static_cast<int>(group.size());
    for (std::size_t r = 0; r < at(directions.rows); ++r) {
      const SpatialVector& G = directions.G[r];
      const double size2 = dot(G.angular, G.angular) + lengths_m[i] * lengths_m[i] * dot(G.linear, G.linear);
      scale[static_cast<Eigen::Index>(group.size())] = 1.0 / std::sqrt(size2);
      group.push_back(first);
    }
  }
  for (std::size_t i = 0; i < model.couplings().size(); ++i) group.push_back(static_cast<int>(group.size()));
}

}  // namespace kinloop
