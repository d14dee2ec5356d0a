// Tests the common end of all importers: how the base stands, and what is locked.
#include "services/import/assemble.hpp"

#include <gtest/gtest.h>

#include "core/constraints/compile.hpp"
#include "core/model/model.hpp"
#include "services/import/lock_inert.hpp"
#include "tests/services/import/tree_kinematics.hpp"

namespace kinloop {
namespace {

MechanismGraph star(int legs) {
  std::mt19937 random(21);
  MechanismGraph graph;
  graph.root = "trunk";
  graph.links.push_back({random_body("trunk", random), {}});
  for (int i = 0; i < legs; ++i) {
    JointSpec joint;
    joint.name = "hip" + std::to_string(i);
    joint.type = JointType::kRevolute;
    joint.predecessor = "trunk";
    joint.successor = "leg" + std::to_string(i);
    graph.links.push_back({random_body(joint.successor, random), {}});
    graph.joints.push_back(joint);
  }
  return graph;
}

void make_massless(BodySpec& body) {
  body.mass = 0.0;
  body.inertia.setZero();
}

TEST(ChooseBase, FixesTheFootOfAnArm) { EXPECT_EQ(choose_base(star(1)).joint, RootJoint::kFixed); }

TEST(ChooseBase, LetsATrunkWithSeveralLegsFloat) { EXPECT_EQ(choose_base(star(2)).joint, RootJoint::kFree); }

TEST(ChooseBase, LetsASingleBodyFloat) { EXPECT_EQ(choose_base(star(0)).joint, RootJoint::kFree); }

TEST(ChooseBase, FixesARootWithoutMass) {
  MechanismGraph graph = star(2);
  make_massless(graph.links[0].body);

  EXPECT_EQ(choose_base(graph).joint, RootJoint::kFixed);
}

TEST(ChooseBase, SeesTheRigidGroupOfTheRoot) {
  // A dummy root without mass, fixed to a trunk with mass and legs.
  MechanismGraph graph = star(2);
  graph.links.push_back({});
  graph.links.back().body.name = "dummy";
  JointSpec weld;
  weld.name = "weld";
  weld.predecessor = "dummy";
  weld.successor = "trunk";
  graph.joints.push_back(weld);
  graph.root = "dummy";

  EXPECT_EQ(choose_base(graph).joint, RootJoint::kFree);
}

TEST(LockInert, LocksAJointThatMovesNoMass) {
  MechanismGraph graph = star(2);
  make_massless(graph.links[2].body);

  const ImportResult model = assemble(graph, RootJoint::kFixed, {}, "file");

  ASSERT_TRUE(model);
  EXPECT_EQ(model->warnings,
            (std::vector<Error>{
                {"joint 'hip1'", "moves no mass, since link 'leg1' and all beyond it are massless: locked"}}));
  EXPECT_EQ(model->spec.bodies.size(), 1U);
  EXPECT_TRUE(compile(model->spec));
}

TEST(LockInert, DropsTheCouplingOfALockedJoint) {
  MechanismGraph graph = star(2);
  make_massless(graph.links[2].body);
  graph.couplings.push_back({"c", "hip1", "hip0", 1.0, 0.0});

  const ImportResult model = assemble(graph, RootJoint::kFixed, {}, "file");

  ASSERT_TRUE(model);
  EXPECT_TRUE(model->spec.couplings.empty());
  ASSERT_EQ(model->warnings.size(), 2U);
  EXPECT_EQ(model->warnings[1], (Error{"coupling 'c'", "ignored, since one of its joints is locked"}));
}

TEST(LockInert, KeepsAMasslessLinkThatCarriesMass) {
  MechanismGraph graph = star(1);
  make_massless(graph.links[0].body);

  const ImportResult model = assemble(graph, RootJoint::kFree, {}, "file");

  ASSERT_TRUE(model);
  EXPECT_TRUE(model->warnings.empty());
  EXPECT_TRUE(compile(model->spec));
}

TEST(LockInert, KeepsAMasslessRodInsideALoop) {
  MechanismGraph graph = star(2);
  make_massless(graph.links[2].body);
  JointSpec ball;
  ball.name = "ball";
  ball.type = JointType::kSpherical;
  ball.predecessor = "leg0";
  ball.successor = "leg1";
  graph.joints.push_back(ball);

  const ImportResult model = assemble(graph, RootJoint::kFixed, {}, "file");

  ASSERT_TRUE(model);
  EXPECT_TRUE(model->warnings.empty());
  EXPECT_EQ(model->spec.bodies.size(), 2U);
}

TEST(LockInert, LocksAtTheInitialPosition) {
  ModelSpec spec;
  spec.bodies.resize(1);
  spec.bodies[0].name = "flag";
  JointSpec slide;
  slide.name = "slide";
  slide.type = JointType::kPrismatic;
  slide.predecessor = kGround;
  slide.successor = "flag";
  slide.initial_q = {0.25};
  spec.joints = {slide};

  const std::vector<Error> warnings = lock_inert_joints(spec);

  EXPECT_EQ(warnings.size(), 1U);
  EXPECT_EQ(spec.joints[0].type, JointType::kFixed);
  EXPECT_EQ(forward_kinematics(spec, {}).at("flag").p.z(), 0.25);
}

TEST(Assemble, KeepsFixedJointsWhereAsked) {
  MechanismGraph graph = star(1);
  graph.joints[0].type = JointType::kFixed;

  const ImportResult model = assemble(graph, RootJoint::kFree, {.fixed_joints = FixedJoints::kKeep}, "file");

  ASSERT_TRUE(model);
  EXPECT_EQ(model->spec.bodies.size(), 2U);
  EXPECT_TRUE(compile(model->spec));
}

}  // namespace
}  // namespace kinloop
