// Depth first; the dofs that are left bound the depth.
#include "core/topology/joint_cycles.hpp"

#include <algorithm>

#include "core/base/at.hpp"

namespace kinloop {
namespace {

/// Bounds the way through chains of fixed joints, which cost no dofs.
constexpr std::size_t kMaxJoints = 24;

}  // namespace

int planar_dofs(JointType type) noexcept {
  const JointKind& kind = joint_kind(type);
  return kind.planar == PlanarRole::kNone ? -1 : kind.nv;
}

JointType type_of(const Model& model, const JointPass& pass) noexcept {
  return pass.loop >= 0 ? model.loops()[pass.loop].type : model.body(pass.joint).joint;
}

PassEnds ends_of(const Model& model, const JointPass& pass) noexcept {
  const int predecessor = pass.loop >= 0 ? model.loops()[pass.loop].predecessor : model.body(pass.joint).parent;
  const int successor = pass.loop >= 0 ? model.loops()[pass.loop].successor : pass.joint;
  if (pass.direction == PassDirection::kToSuccessor) return {predecessor, successor};
  return {successor, predecessor};
}

/// A way that began at a closing joint and is to end at that joint's other body.
struct JointCycles::Search {
  int target;
  const IndexedVector<char>& usable;
  IndexedVector<int>& blocked_by;
  JointCycle path;
  IndexedVector<int> bodies;  // on the path
  IndexedVector<JointCycle> found;
};

JointCycles::JointCycles(const Model& model)
    : model_(model), joints_of_(at(model.body_count())), distance_(at(model.body_count()), -1) {
  const auto add = [&](int joint, int loop) {
    for (const PassDirection direction : {PassDirection::kToSuccessor, PassDirection::kToPredecessor}) {
      const JointPass pass{joint, loop, direction};
      joints_of_[ends_of(model, pass).from].push_back(pass);
    }
  };
  for (int k = 1; k < model.body_count(); ++k) add(k, -1);
  for (std::size_t l = 0; l < model.loops().size(); ++l) add(-1, static_cast<int>(l));

  IndexedVector<int> nearest_first{0};
  distance_[0] = 0;
  for (int i = 0; i < nearest_first.count(); ++i) {
    const int body = nearest_first[i];
    for (const JointPass& pass : joints_of_[body]) {
      const int next = ends_of(model, pass).to;
      if (distance_[next] >= 0) continue;
      distance_[next] = distance_[body] + 1;
      nearest_first.push_back(next);
    }
  }
}

void JointCycles::extend(Search& search, int body, int dofs) const {
  if (search.path.size() == kMaxJoints) return;
  for (const JointPass& pass : joints_of_[body]) {
    const JointPass& start = search.path.front();
    if (pass.loop >= 0 && pass.loop == start.loop) continue;
    const int taken = planar_dofs(type_of(model_, pass));
    const int next = ends_of(model_, pass).to;
    if (taken < 0 || taken > dofs) continue;
    if (std::find(search.bodies.begin(), search.bodies.end(), next) != search.bodies.end()) continue;
    if (next == search.target && taken != dofs) continue;
    if (pass.loop >= 0 && search.usable[pass.loop] == 0) {
      search.blocked_by.push_back(pass.loop);
      continue;
    }
    search.path.push_back(pass);
    if (next == search.target) {
      search.found.push_back(search.path);
    } else {
      search.bodies.push_back(next);
      extend(search, next, dofs - taken);
      search.bodies.pop_back();
    }
    search.path.pop_back();
  }
}

IndexedVector<JointCycle> JointCycles::through(int loop, int dofs, const IndexedVector<char>& usable,
                                               IndexedVector<int>& blocked_by) const {
  JointPass start{-1, loop, PassDirection::kToSuccessor};
  const int taken = planar_dofs(type_of(model_, start));
  if (taken < 0 || taken > dofs) return {};
  // From the body with fewer joints: the ground may have thousands.
  const PassEnds ends = ends_of(model_, start);
  if (joints_of_[ends.to].size() > joints_of_[ends.from].size()) {
    start.direction = PassDirection::kToPredecessor;
  }
  const PassEnds chosen = ends_of(model_, start);
  Search search{chosen.from, usable, blocked_by, {start}, {chosen.to}, {}};
  extend(search, chosen.to, dofs - taken);
  return search.found;
}

}  // namespace kinloop
