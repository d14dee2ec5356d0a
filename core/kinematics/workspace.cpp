// Allocates everything a sweep writes, once, from the model.
#include "core/kinematics/workspace.hpp"

#include <algorithm>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

bool compares_along_tree(const Model& model) {
  return std::any_of(model.loops().begin(), model.loops().end(), [](const LoopJoint& loop) { return loop.same_root; });
}

}  // namespace

Workspace::Workspace(const Model& model)
    : motion(at(model.body_count())),
      load(at(model.body_count())),
      Hw(at(model.nv())),
      Hv(at(model.nv())),
      sine(at(model.nq() + 4)),
      cosine(at(model.nq() + 4)),
      prescribed(VectorX::Zero(model.nv())),
      from_root(compares_along_tree(model) ? at(model.body_count()) : 0),
      loop_constraint(model.loops().size()),
      coupling_error(VectorX::Zero(static_cast<Eigen::Index>(model.couplings().size()))),
      coupling_rate(VectorX::Zero(static_cast<Eigen::Index>(model.couplings().size()))),
      coupling_bias(VectorX::Zero(static_cast<Eigen::Index>(model.couplings().size()))),
      tau(VectorX::Zero(model.nv())),
      armature(VectorX::Zero(model.nv())),
      vdot(VectorX::Zero(model.nv())),
      A(at(model.body_count())) {
  for (std::size_t i = 0; i < loop_constraint.size(); ++i) {
    loop_constraint[i].fitted.resize(model.loops()[i].constant ? 0 : 1);
    loop_constraint[i].prescribed.resize(model.loops()[i].drives.empty() ? 0 : 1);
  }
  for (int i = 0; i < model.nv(); ++i) armature[i] = model.coordinate(i).armature;
  motion[0].R = identity3();
  motion[0].a = -Vec3(model.gravity());
}

}  // namespace kinloop
