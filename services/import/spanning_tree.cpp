// Implements the choice: Kruskal's algorithm over the joints by rank, then a walk from the ground.
#include "services/import/spanning_tree.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "core/joints/joint.hpp"
#include "services/import/joint_load.hpp"
#include "services/import/joint_pose.hpp"
#include "services/import/reverse_joint.hpp"

namespace kinloop {
namespace {

constexpr std::size_t kGroundNode = 0;  // link i is node i + 1

/// Sets of nodes that are connected.
class Groups {
 public:
  explicit Groups(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }

  std::size_t find(std::size_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

  /// False if both were in one set already.
  bool join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    // The smaller node stands for its set: the ground, else the first link of the file.
    parent_[std::max(a, b)] = std::min(a, b);
    return a != b;
  }

 private:
  std::vector<std::size_t> parent_;
};

class Spanner {
 public:
  Spanner(const MechanismGraph& graph, RootJoint root_joint)
      : graph_(graph), root_joint_(root_joint), groups_(graph.links.size() + 1) {}

  ImportResult run() {
    resolve_names();
    if (!errors_.empty()) return errors_;
    model_.spec.name = graph_.name;
    model_.spec.gravity = graph_.gravity;
    model_.spec.couplings = graph_.couplings;
    for (const GraphLink& link : graph_.links) model_.spec.bodies.push_back(link.body);
    choose_tree();
    walk_from(kGroundNode);
    if (const auto root = nodes_.find(graph_.root); root != nodes_.end()) attach(root->second);
    for (std::size_t node = 1; node <= graph_.links.size(); ++node) attach(node);
    add_loops();
    if (!errors_.empty()) return errors_;
    return std::move(model_);
  }

 private:
  struct Ends {
    std::size_t predecessor = 0;
    std::size_t successor = 0;
  };

  void fail(const JointSpec& joint, const std::string& what) {
    errors_.push_back({"joint '" + joint.name + "'", what});
  }

  void resolve_names() {
    for (std::size_t i = 0; i < graph_.links.size(); ++i) {
      const std::string& name = graph_.links[i].body.name;
      if (!nodes_.emplace(name, i + 1).second) errors_.push_back({"link '" + name + "'", "another link has this name"});
    }
    for (const CouplingSpec& coupling : graph_.couplings) coupled_.insert({coupling.joint, coupling.of});
    for (const JointSpec& joint : graph_.joints) ends_.push_back(resolved(joint));
    for (const JointSpec& closing : graph_.closings) resolved(closing);
  }

  Ends resolved(const JointSpec& joint) {
    Ends ends;
    for (const auto& [name, node] :
         {std::pair{&joint.predecessor, &ends.predecessor}, {&joint.successor, &ends.successor}}) {
      const auto found = nodes_.find(*name);
      if (found == nodes_.end()) {
        fail(joint, "no link is named '" + *name + "'");
      } else {
        *node = found->second;
      }
    }
    if (joint.predecessor == joint.successor) fail(joint, "joins link '" + joint.successor + "' with itself");
    if (!joint_names_.insert(joint.name).second) fail(joint, "another joint has this name");
    return ends;
  }

  void choose_tree() {
    const auto rank = [this](std::size_t i) {
      const JointSpec& joint = graph_.joints[i];
      const bool must_stay = carries_load(joint) || coupled_.contains(joint.name);
      const int kind = joint.type == JointType::kFixed ? 0 : must_stay ? 1 : 2;
      return std::tuple(kind, joint_kind(joint.type).nv, i);
    };
    std::vector<std::size_t> order(graph_.joints.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
    in_tree_.assign(graph_.joints.size(), false);
    for (const std::size_t i : order) in_tree_[i] = groups_.join(ends_[i].predecessor, ends_[i].successor);

    reached_.assign(graph_.links.size() + 1, false);
    joints_at_.resize(graph_.links.size() + 1);
    for (std::size_t i = 0; i < graph_.joints.size(); ++i) {
      if (!in_tree_[i]) continue;
      joints_at_[ends_[i].predecessor].push_back(i);
      joints_at_[ends_[i].successor].push_back(i);
    }
  }

  /// Depth first with a stack of our own: a chain may be as long as the file allows.
  void walk_from(std::size_t start) {
    std::vector<std::size_t> stack;
    const auto arrive = [&](std::size_t node) {
      reached_[node] = true;
      // Pushed backwards, so that the first joint of the file is on top.
      stack.insert(stack.end(), joints_at_[node].rbegin(), joints_at_[node].rend());
    };
    arrive(start);
    while (!stack.empty()) {
      const std::size_t i = stack.back();
      stack.pop_back();
      const Ends& ends = ends_[i];
      if (reached_[ends.predecessor] && reached_[ends.successor]) continue;  // the joint we came by
      const JointSpec& joint = graph_.joints[i];
      const bool forward = reached_[ends.predecessor];
      push(forward ? joint : reversed(joint), model_.spec.joints);
      arrive(forward ? ends.successor : ends.predecessor);
    }
  }

  void push(Result<JointSpec> joint, std::vector<JointSpec>& list) {
    if (joint) {
      list.push_back(std::move(joint).value());
    } else {
      errors_.push_back(joint.error());
    }
  }

  /// Attaches the group of an unreached link to the ground.
  void attach(std::size_t node) {
    if (reached_[node]) return;
    add_root_joint(node);
    walk_from(node);
  }

  void add_root_joint(std::size_t node) {
    const GraphLink& link = graph_.links[node - 1];
    JointSpec joint;
    joint.predecessor = kGround;
    joint.successor = link.body.name;
    if (root_joint_ == RootJoint::kFixed) {
      joint.name = link.body.name + "_fixed";
      joint.frame_pred = link.X_WL;
    } else {
      joint.name = link.body.name + "_free";
      joint.type = JointType::kFree;
      joint.initial_q = joint_coordinates(JointType::kFree, 0.0, link.X_WL);
    }
    while (!joint_names_.insert(joint.name).second) joint.name += "_";
    model_.spec.joints.push_back(std::move(joint));
  }

  void add_loops() {
    for (std::size_t i = 0; i < graph_.joints.size(); ++i) {
      if (in_tree_[i]) continue;
      JointSpec loop = graph_.joints[i];
      if (coupled_.contains(loop.name)) fail(loop, "closes a loop, so it has no coordinate that could be coupled");
      if (carries_load(loop)) {
        model_.warnings.push_back({"joint '" + loop.name + "'",
                                   "closes a loop of joints that all have springs, damping, friction or limits; those "
                                   "of this joint are ignored"});
      }
      loop.coordinates.clear();
      loop.initial_q.clear();
      loop.initial_u.clear();
      add_loop(loop);
    }
    for (const JointSpec& closing : graph_.closings) add_loop(closing);
  }

  void add_loop(const JointSpec& loop) { push(loop.successor == kGround ? reversed(loop) : loop, model_.spec.loops); }

  const MechanismGraph& graph_;
  const RootJoint root_joint_;
  Groups groups_;
  std::map<std::string, std::size_t> nodes_{{kGround, kGroundNode}};
  std::vector<Ends> ends_;
  std::set<std::string> joint_names_, coupled_;
  std::vector<bool> in_tree_, reached_;
  std::vector<std::vector<std::size_t>> joints_at_;
  ImportedModel model_;
  std::vector<Error> errors_;
};

}  // namespace

ImportResult span(const MechanismGraph& graph, RootJoint root_joint) { return Spanner(graph, root_joint).run(); }

}  // namespace kinloop
