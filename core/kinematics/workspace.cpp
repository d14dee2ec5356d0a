// Sizes the workspace.
#include "core/kinematics/workspace.hpp"

#include <algorithm>

namespace kinloop {
namespace {

bool compares_along_tree(const Model& model) {
  return std::any_of(model.loops().begin(), model.loops().end(), [](const LoopJoint& loop) { return loop.same_root; });
}

}  // namespace

Workspace::Workspace(const Model& model)
    : motion(static_cast<std::size_t>(model.body_count())),
      load(static_cast<std::size_t>(model.body_count())),
      Hw(static_cast<std::size_t>(model.nv())),
      Hv(static_cast<std::size_t>(model.nv())),
      sine(static_cast<std::size_t>(model.nq() + 4)),
      cosine(static_cast<std::size_t>(model.nq() + 4)),
      prescribed(VectorX::Zero(model.nv())),
      from_root(compares_along_tree(model) ? static_cast<std::size_t>(model.body_count()) : 0),
      loop_constraint(model.loops().size()),
      coupling_error(VectorX::Zero(static_cast<Eigen::Index>(model.couplings().size()))),
      coupling_rate(VectorX::Zero(static_cast<Eigen::Index>(model.couplings().size()))),
      coupling_bias(VectorX::Zero(static_cast<Eigen::Index>(model.couplings().size()))),
      tau(VectorX::Zero(model.nv())),
      vdot(VectorX::Zero(model.nv())),
      A(static_cast<std::size_t>(model.body_count())) {
  for (std::size_t i = 0; i < loop_constraint.size(); ++i)
    loop_constraint[i].fitted.resize(model.loops()[i].constant ? 0 : 1);
  motion[0].R = identity3();
  motion[0].a = -Vec3(model.gravity());
}

}  // namespace kinloop
