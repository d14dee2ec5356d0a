// Multiplies poses that move, from the ground outwards.
#include "tests/adversary/tree_motion.hpp"

#include <map>

#include "core/base/at.hpp"
#include "core/base/require.hpp"

namespace kinloop::adversary {

Topology::Topology(const ModelSpec& spec) {
  std::map<std::string, int> index{{kGround, 0}};
  for (const BodySpec& body : spec.bodies) index.emplace(body.name, static_cast<int>(index.size()));
  inboard.assign(index.size(), -1);
  std::map<std::string, int> joint_index;
  for (const JointSpec& joint : spec.joints) {
    const int j = static_cast<int>(joint_pred.size());
    joint_index[joint.name] = j;
    joint_pred.push_back(index.at(joint.predecessor));
    joint_succ.push_back(index.at(joint.successor));
    inboard[at(joint_succ.back())] = j;
    q_at.push_back(nq);
    v_at.push_back(nv);
    nq += joint_size(joint.type).nq;
    nv += joint_size(joint.type).nv;
    joint_of_speed.resize(at(nv), j);
  }
  for (const JointSpec& loop : spec.loops) {
    loop_pred.push_back(index.at(loop.predecessor));
    loop_succ.push_back(index.at(loop.successor));
  }
  for (const CouplingSpec& coupling : spec.couplings) {
    coupled.push_back(v_at[at(joint_index.at(coupling.joint))]);
    coupled_to.push_back(v_at[at(joint_index.at(coupling.of))]);
  }
  std::vector<char> stands(index.size(), 0);
  stands[0] = 1;
  while (order.size() < spec.joints.size()) {
    const std::size_t before = order.size();
    for (int j = 0; j < static_cast<int>(spec.joints.size()); ++j) {
      if (stands[at(joint_pred[at(j)])] == 0 || stands[at(joint_succ[at(j)])] != 0) continue;
      stands[at(joint_succ[at(j)])] = 1;
      order.push_back(j);
    }
    require(order.size() > before, "the joints form a tree from the ground");
  }
}

int Topology::body(const ModelSpec& spec, const std::string& name) const {
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    if (spec.bodies[i].name == name) return static_cast<int>(i) + 1;
  }
  return 0;
}

TreeMotion::TreeMotion(const ModelSpec& spec, const Topology& topology, const VectorXR& q, const VectorXR& v)
    : body(spec.bodies.size() + 1), column(at(topology.nv)), speeds(spec.bodies.size() + 1) {
  for (const int j : topology.order) {
    const JointSpec& joint = spec.joints[at(j)];
    const JointSize size = joint_size(joint.type);
    Coordinates own_q{};
    Speeds own_u{};
    for (int i = 0; i < size.nq; ++i) own_q[at(i)] = q[topology.q_at[at(j)] + i];
    for (int i = 0; i < size.nv; ++i) own_u[at(i)] = v[topology.v_at[at(j)] + i];
    const int parent = topology.joint_pred[at(j)];
    const int child = topology.joint_succ[at(j)];
    const PoseJet X_WA = body[at(parent)] * at_rest(precise(joint.frame_pred));
    const PoseJet X_WB = X_WA * joint_pose(joint, own_q, own_u);
    body[at(child)] = X_WB * at_rest(inverse(precise(joint.frame_succ)));
    speeds[at(child)] = speeds[at(parent)];
    const auto H = joint_columns(joint, own_q);
    for (int i = 0; i < size.nv; ++i) {
      Column& c = column[at(topology.v_at[at(j)] + i)];
      c.w = X_WA.R.f * H.col(i).head<3>();
      c.v = X_WA.R.f * H.col(i).tail<3>();
      c.x = X_WB.p.f;
      speeds[at(child)].push_back(topology.v_at[at(j)] + i);
    }
  }
}

}  // namespace kinloop::adversary
