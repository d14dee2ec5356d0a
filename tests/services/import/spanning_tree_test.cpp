// Tests which joints of a graph become the tree, which close loops, and how the tree stands on the ground.
#include "services/import/spanning_tree.hpp"

#include <gtest/gtest.h>

#include "core/constraints/compile.hpp"
#include "core/model/model.hpp"
#include "services/import/joint_pose.hpp"
#include "tests/services/import/tree_kinematics.hpp"

namespace kinloop {
namespace {

constexpr double kSpanningTreeRounding = 1e-13;  // chains of a few joints

/// Links and joints at random places; all joints fit together at zero.
class GraphBuilder {
 public:
  GraphBuilder& link(const std::string& name) {
    graph_.links.push_back({random_body(name, random_), random_pose(random_)});
    poses_[name] = graph_.links.back().X_WL;
    return *this;
  }

  GraphBuilder& joint(const std::string& name, JointType type, const std::string& from, const std::string& to) {
    const Pose X_WJ = random_pose(random_);
    JointSpec joint;
    joint.name = name;
    joint.type = type;
    joint.predecessor = from;
    joint.successor = to;
    joint.frame_pred = inverse(poses_[from]) * X_WJ;
    joint.frame_succ = inverse(poses_[to]) * X_WJ;
    graph_.joints.push_back(joint);
    return *this;
  }

  GraphBuilder& damped() {
    graph_.joints.back().coordinates.resize(1);
    graph_.joints.back().coordinates[0].damping = 0.5;
    return *this;
  }

  MechanismGraph& graph() { return graph_; }

 private:
  std::mt19937 random_{7};
  std::map<std::string, Pose> poses_{{kGround, Pose{}}};
  MechanismGraph graph_;
};

std::vector<std::string> names(const std::vector<JointSpec>& joints) {
  std::vector<std::string> list;
  for (const JointSpec& joint : joints) list.push_back(joint.name);
  return list;
}

using Names = std::vector<std::string>;

TEST(SpanningTree, WalksDepthFirstInTheOrderOfTheFile) {
  GraphBuilder builder;
  builder.link("a").link("b").link("c").link("d");
  builder.joint("to_c", JointType::kRevolute, "a", "c").joint("to_d", JointType::kRevolute, "c", "d");
  builder.joint("to_b", JointType::kRevolute, "a", "b").joint("to_a", JointType::kRevolute, kGround, "a");

  const ImportResult model = span(builder.graph(), RootJoint::kFree);

  ASSERT_TRUE(model);
  EXPECT_EQ(names(model->spec.joints), (Names{"to_a", "to_c", "to_d", "to_b"}));
  EXPECT_TRUE(model->spec.loops.empty());
}

TEST(SpanningTree, ClosesLoopsByTheJointWithTheMostFreedoms) {
  GraphBuilder builder;
  builder.link("a").link("b").link("c");
  builder.joint("ball", JointType::kSpherical, kGround, "a").joint("ab", JointType::kRevolute, "a", "b");
  builder.joint("bc", JointType::kUniversal, "b", "c").joint("c0", JointType::kRevolute, "c", kGround);

  const ImportResult model = span(builder.graph(), RootJoint::kFree);

  ASSERT_TRUE(model);
  EXPECT_EQ(names(model->spec.loops), (Names{"ball"}));
  EXPECT_EQ(names(model->spec.joints), (Names{"c0", "bc", "ab"}));
  EXPECT_TRUE(compile(model->spec));
}

TEST(SpanningTree, KeepsDampedJointsInTheTree) {
  GraphBuilder builder;
  builder.link("a").link("b").link("c");
  builder.joint("j1", JointType::kRevolute, kGround, "a").joint("j2", JointType::kRevolute, "a", "b");
  builder.joint("j3", JointType::kRevolute, "b", "c").joint("j4", JointType::kRevolute, kGround, "c").damped();

  const ImportResult model = span(builder.graph(), RootJoint::kFree);

  ASSERT_TRUE(model);
  EXPECT_EQ(names(model->spec.loops), (Names{"j3"}));
  EXPECT_TRUE(model->warnings.empty());
}

TEST(SpanningTree, WarnsOfTheDampingOfALoopJoint) {
  GraphBuilder builder;
  builder.link("a").link("b");
  builder.joint("j1", JointType::kRevolute, kGround, "a").damped().joint("j2", JointType::kRevolute, "a", "b").damped();
  builder.joint("j3", JointType::kRevolute, kGround, "b").damped();

  const ImportResult model = span(builder.graph(), RootJoint::kFree);

  ASSERT_TRUE(model);
  ASSERT_EQ(model->warnings.size(), 1U);
  EXPECT_EQ(model->warnings[0].where, "joint 'j3'");
  EXPECT_TRUE(model->spec.loops[0].coordinates.empty());
}

TEST(SpanningTree, KeepsARigidGroupWhole) {
  // b, c, d and f are welded, but f can also be reached over e.
  GraphBuilder builder;
  builder.link("b").link("c").link("d").link("e").link("f");
  builder.joint("g", JointType::kRevolute, kGround, "b").joint("de", JointType::kRevolute, "d", "e");
  builder.joint("ef", JointType::kRevolute, "e", "f").joint("bc", JointType::kFixed, "b", "c");
  builder.joint("cd", JointType::kFixed, "c", "d").joint("bf", JointType::kFixed, "b", "f");

  const ImportResult model = span(builder.graph(), RootJoint::kFree);

  ASSERT_TRUE(model);
  EXPECT_EQ(names(model->spec.loops), (Names{"ef"}));
}

TEST(SpanningTree, PutsEveryLinkWhereTheGraphHasIt) {
  GraphBuilder builder;
  builder.link("a").link("b").link("c").link("d").link("e").link("f");
  builder.joint("j1", JointType::kRevolute, "a", kGround).joint("j2", JointType::kUniversal, "b", "a");
  builder.joint("j3", JointType::kSpherical, "c", "b").joint("j4", JointType::kScrew, "d", "c");
  builder.joint("j5", JointType::kPlanar, "e", "d");  // f floats

  const ImportResult model = span(builder.graph(), RootJoint::kFree);

  ASSERT_TRUE(model);
  Coordinates initial;
  for (const JointSpec& joint : model->spec.joints) initial[joint.name] = joint.initial_q;
  const auto poses = forward_kinematics(model->spec, initial);
  for (const GraphLink& link : builder.graph().links) {
    EXPECT_LT(difference(poses.at(link.body.name), link.X_WL), kSpanningTreeRounding) << link.body.name;
  }
}

TEST(SpanningTree, AttachesEachLooseGroupAtItsFirstLink) {
  GraphBuilder builder;
  builder.link("a").link("b").link("c");
  builder.joint("ba", JointType::kRevolute, "b", "a");

  const ImportResult floating = span(builder.graph(), RootJoint::kFree);
  const ImportResult fixed = span(builder.graph(), RootJoint::kFixed);

  ASSERT_TRUE(floating);
  EXPECT_EQ(names(floating->spec.joints), (Names{"a_free", "ba", "c_free"}));
  EXPECT_EQ(floating->spec.joints[0].type, JointType::kFree);
  ASSERT_TRUE(fixed);
  EXPECT_EQ(names(fixed->spec.joints), (Names{"a_fixed", "ba", "c_fixed"}));
  EXPECT_EQ(fixed->spec.joints[0].type, JointType::kFixed);
}

TEST(SpanningTree, AttachesAGroupAtTheRootOfTheGraph) {
  GraphBuilder builder;
  builder.link("a").link("b").joint("ab", JointType::kRevolute, "a", "b");
  builder.graph().root = "b";

  const ImportResult model = span(builder.graph(), RootJoint::kFree);

  ASSERT_TRUE(model);
  EXPECT_EQ(names(model->spec.joints), (Names{"b_free", "ab"}));
}

TEST(SpanningTree, GivesTheRootJointANameOfItsOwn) {
  GraphBuilder builder;
  builder.link("a").link("b").joint("a_free", JointType::kRevolute, "a", "b");

  const ImportResult model = span(builder.graph(), RootJoint::kFree);

  ASSERT_TRUE(model);
  EXPECT_EQ(names(model->spec.joints), (Names{"a_free_", "a_free"}));
}

TEST(SpanningTree, TurnsALoopJointThatEndsAtTheGround) {
  GraphBuilder builder;
  builder.link("a");
  builder.joint("j1", JointType::kRevolute, kGround, "a").joint("j2", JointType::kSpherical, "a", kGround);

  const ImportResult model = span(builder.graph(), RootJoint::kFree);

  ASSERT_TRUE(model);
  ASSERT_EQ(model->spec.loops.size(), 1U);
  EXPECT_EQ(model->spec.loops[0].successor, "a");
}

TEST(SpanningTree, ReportsUnknownAndRepeatedNames) {
  GraphBuilder builder;
  builder.link("a").link("a").joint("j", JointType::kRevolute, "a", "x").joint("j", JointType::kRevolute, "a", "a");

  const ImportResult model = span(builder.graph(), RootJoint::kFree);

  ASSERT_FALSE(model);
  EXPECT_EQ(model.error(), (std::vector<Error>{{"link 'a'", "another link has this name"},
                                               {"joint 'j'", "no link is named 'x'"},
                                               {"joint 'j'", "joins link 'a' with itself"},
                                               {"joint 'j'", "another joint has this name"}}));
}

TEST(SpanningTree, RefusesACouplingOfALoopJoint) {
  GraphBuilder builder;
  builder.link("a").joint("j1", JointType::kRevolute, kGround, "a").joint("j2", JointType::kRevolute, kGround, "a");
  builder.graph().couplings.push_back({"c", "j1", "j2", 1.0, 0.0});

  const ImportResult model = span(builder.graph(), RootJoint::kFree);

  ASSERT_FALSE(model);
  EXPECT_EQ(model.error(),
            (std::vector<Error>{{"joint 'j2'", "closes a loop, so it has no coordinate that could be coupled"}}));
}

}  // namespace
}  // namespace kinloop
