// Builds the tree of speeds from the tree of bodies.
#include "core/dynamics/loops/dof_tree.hpp"

#include "core/base/at.hpp"

namespace kinloop {

DofTree::DofTree(const Model& model) : last(at(model.body_count()), -1) {
  for (int k = 1; k < model.body_count(); ++k) {
    int end = last[at(model.body(k).parent)];
    for (int i = model.body(k).v; i < model.body(k).v + model.body(k).nv; ++i) {
      if (model.coordinate(i).motion >= 0) continue;
      speed.push_back(i);
      body.push_back(k);
      parent.push_back(end);
      end = static_cast<int>(speed.size()) - 1;
    }
    last[at(k)] = end;
  }
}

}  // namespace kinloop
