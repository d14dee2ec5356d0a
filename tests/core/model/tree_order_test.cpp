// Tests the order that compile() gives to bodies: parents first, otherwise as in the file.
#include <gtest/gtest.h>

#include <string>

#include "core/constraints/compile.hpp"
#include "core/model/model.hpp"

namespace kinloop {
namespace {

void add_body(ModelSpec& spec, const std::string& name, const std::string& parent) {
  BodySpec body;
  body.name = name;
  body.mass = 1.0;
  spec.bodies.push_back(body);
  JointSpec joint;
  joint.name = "to_" + name;
  joint.type = JointType::kPrismatic;
  joint.predecessor = parent;
  joint.successor = name;
  spec.joints.push_back(joint);
}

std::string order(const Model& model) {
  std::string names;
  for (int k = 1; k < model.body_count(); ++k) names += model.body_name(k);
  return names;
}

TEST(TreeOrder, ParentsListedFirstKeepTheFilesOrder) {
  ModelSpec spec;
  add_body(spec, "a", "ground");
  add_body(spec, "b", "a");
  add_body(spec, "c", "ground");
  add_body(spec, "d", "b");

  EXPECT_EQ(order(compile(spec).value()), "abcd");
}

TEST(TreeOrder, AChildListedBeforeItsParentWaitsForTheNextRound) {
  ModelSpec spec;
  add_body(spec, "d", "c");
  add_body(spec, "c", "a");
  add_body(spec, "e", "c");
  add_body(spec, "a", "ground");
  add_body(spec, "b", "a");

  EXPECT_EQ(order(compile(spec).value()), "abced");
}

TEST(TreeOrder, AnUpsideDownChainOfThousandsCompilesAtOnce) {
  constexpr int kBodies = 20'000;  // in rounds over the whole list this would take minutes
  ModelSpec spec;
  for (int i = kBodies; i > 0; --i) {
    add_body(spec, std::to_string(i), i == 1 ? kGround : std::to_string(i - 1));
  }

  const Model model = compile(spec).value();

  EXPECT_EQ(model.body_name(1), "1");
  EXPECT_EQ(model.body_name(kBodies), std::to_string(kBodies));
}

TEST(TreeOrder, EveryJointOfACycleIsReported) {
  ModelSpec spec;
  add_body(spec, "a", "ground");
  add_body(spec, "b", "d");
  add_body(spec, "c", "b");
  add_body(spec, "d", "c");
  add_body(spec, "e", "d");

  const auto model = compile(spec);

  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().size(), 4U);
}

}  // namespace
}  // namespace kinloop
