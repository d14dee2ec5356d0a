// Walks from the ground over the joints that are not cut.
#include "services/files/best_cuts.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <map>
#include <string>

#include "core/constraints/consistent_initial_state.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "core/kinematics/loop_constraints.hpp"
#include "services/import/reverse_joint.hpp"

namespace kinloop {
namespace {

/// A loop joint as one of the tree: coordinates and speeds are those that the loop gives it.
JointSpec started(const Model& model, std::size_t l, const Workspace& ws) {
  JointSpec joint = model.spec().loops[l];
  const LoopJoint& loop = model.loops()[l];
  const JointKind& kind = joint_kind(loop.type);
  const std::array<double, 7> q = closing_coordinates(loop, ws);
  joint.initial_q.assign(q.begin(), q.begin() + kind.nq);
  const std::array<double, 6> at_rest{};
  JointMotion motion;
  kind.evaluate(loop.parameters, q.data(), at_rest.data(), motion);
  Eigen::Matrix<double, 6, Eigen::Dynamic> H(6, kind.nv);
  for (int c = 0; c < kind.nv; ++c) {
    H.col(c) << motion.Hw[static_cast<std::size_t>(c)].eigen(), motion.Hv[static_cast<std::size_t>(c)].eigen();
  }
  const LoopConstraint& constraint = ws.loop_constraint[l];
  SpatialVector rate = constraint.rate;
  for (const PrescribedMotion& wanted : constraint.prescribed) rate = rate + wanted.velocity;
  const SpatialVector rate_A = rotated(transposed(constraint.R_WA), rate);
  Vector6 along;
  along << rate_A.angular.eigen(), rate_A.linear.eigen();
  Vector6 weight;
  weight << 1.0, 1.0, 1.0, Vector3::Constant(1.0 / (model.length_m() * model.length_m()));
  const VectorX u = (H.transpose() * weight.asDiagonal() * H).ldlt().solve(H.transpose() * weight.asDiagonal() * along);
  joint.initial_u.assign(u.begin(), u.end());
  return joint;
}

/// All joints of the mechanism, those of the file's tree first.
struct AllJoints {
  std::vector<JointSpec> joints;
  std::vector<char> is_cut;
};

AllJoints all_joints(const Model& model, const std::vector<CutJoint>& cuts, const Workspace& ws) {
  AllJoints all;
  const auto is_cut = [&](const CutJoint& joint) { return std::find(cuts.begin(), cuts.end(), joint) != cuts.end(); };
  for (const JointSpec& joint : model.spec().joints) {
    all.joints.push_back(joint);
    all.is_cut.push_back(is_cut({model.find_joint(joint.name), -1}) ? 1 : 0);
  }
  for (std::size_t l = 0; l < model.loops().size(); ++l) {
    const bool stays = is_cut({-1, static_cast<int>(l)});
    all.joints.push_back(stays ? model.spec().loops[l] : started(model, l, ws));
    all.is_cut.push_back(stays ? 1 : 0);
  }
  return all;
}

/// Turns around the joints of the tree that lead towards the ground.
Result<bool> turn_outward(AllJoints& all) {
  std::multimap<std::string, std::size_t> joints_at;
  for (std::size_t i = 0; i < all.joints.size(); ++i) {
    if (all.is_cut[i] != 0) continue;
    joints_at.emplace(all.joints[i].predecessor, i);
    joints_at.emplace(all.joints[i].successor, i);
  }
  std::vector<char> is_placed(all.joints.size(), 0);
  std::vector<std::string> waiting{kGround};
  for (std::size_t w = 0; w < waiting.size(); ++w) {
    const std::string body = waiting[w];
    const auto [first, last] = joints_at.equal_range(body);
    for (auto it = first; it != last; ++it) {
      JointSpec& joint = all.joints[it->second];
      if (is_placed[it->second] != 0) continue;
      is_placed[it->second] = 1;
      if (joint.successor == body) {
        Result<JointSpec> turned = reversed(joint);
        if (!turned) return turned.error();
        joint = std::move(turned).value();
      }
      waiting.push_back(joint.successor);
    }
  }
  return true;
}

Result<Workspace> workspace_at_start(const Model& model) {
  const Result<ClosedStart> start = consistent_initial_state(model, kRoundingOfFiles);
  if (!start) return start.error();
  State state(model);
  state.q() = start->q;
  state.v() = start->v;
  Workspace ws(model);
  update_kinematics(model, state, ws);
  update_loop_constraints(model, state, ws);
  return ws;
}

}  // namespace

Result<CutChoice> choose_cuts_at_start(const Model& model) {
  const Result<Workspace> ws = workspace_at_start(model);
  if (!ws) return ws.error();
  return choose_cuts(model, *ws);
}

Result<ModelSpec> with_cuts(const Model& model, const std::vector<CutJoint>& cuts) {
  const Result<Workspace> ws = workspace_at_start(model);
  if (!ws) return ws.error();
  AllJoints all = all_joints(model, cuts, *ws);
  if (const Result<bool> turned = turn_outward(all); !turned) return turned.error();
  ModelSpec spec = model.spec();
  spec.joints.clear();
  spec.loops.clear();
  for (std::size_t i = 0; i < all.joints.size(); ++i) {
    JointSpec& joint = all.joints[i];
    if (all.is_cut[i] != 0) {
      joint.initial_q.clear();
      joint.initial_u.clear();
      if (std::none_of(joint.coordinates.begin(), joint.coordinates.end(),
                       [](const CoordinateSpec& c) { return c.motion.has_value(); })) {
        joint.coordinates.clear();
      }
    }
    (all.is_cut[i] != 0 ? spec.loops : spec.joints).push_back(std::move(joint));
  }
  return spec;
}

}  // namespace kinloop
