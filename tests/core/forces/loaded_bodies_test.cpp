// Tests that every kind of force element tells all bodies that it looks at and pushes.
#include "core/forces/loaded_bodies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/forces/force_element.hpp"
#include "core/kinematics/forward_kinematics.hpp"
#include "tests/support/mechanisms.hpp"

namespace kinloop {
namespace {

/// Free boxes beside each other, one of each kind of element between two of them or the ground. All of them act.
ModelSpec boxes_with_every_kind() {
  ModelSpec spec;
  const auto add_box = [&](const std::string& name, double x_m) {
    ModelSpec one = mechanisms::one_body(name, 2.0, 0.08, "to_" + name, JointType::kFree);
    one.joints[0].initial_q = {x_m, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0};
    one.joints[0].initial_u = {0.3, 0.1, -0.5, 0.2, 0.4, 0.1};
    spec.bodies.push_back(one.bodies[0]);
    spec.joints.push_back(one.joints[0]);
  };
  for (const char* name : {"sprung", "left", "right", "hung", "standing", "idle"}) {
    add_box(name, static_cast<double>(spec.bodies.size()));
  }
  SpringSpec spring;
  spring.name = "spring";
  spring.body_a = kGround;
  spring.body_b = "sprung";
  spring.point_b = Vector3(0.2, 0.1, 0.0);
  spring.stiffness = 300.0;
  spring.damping = 2.0;
  spec.springs = {spring};
  BushingSpec bushing;
  bushing.name = "bushing";
  bushing.body_a = "left";
  bushing.body_b = "right";
  bushing.stiffness = bushing.damping = Vector3(200.0, 300.0, 400.0);
  bushing.rotational_stiffness = bushing.rotational_damping = Vector3(5.0, 6.0, 7.0);
  spec.bushings = {bushing};
  RopeSpec rope;
  rope.name = "rope";
  rope.body_a = kGround;
  rope.body_b = "hung";
  rope.point_a = Vector3(0.0, 0.0, 2.0);
  rope.length = 1.0;
  rope.stiffness = 5e3;
  spec.ropes = {rope};
  PlaneSpec plane;
  plane.name = "floor";
  plane.body = kGround;
  plane.stiffness = 2e4;
  spec.planes = {plane};
  ContactSpec contact;
  contact.name = "corners";
  contact.body = "standing";
  contact.shape = ContactShape::kBox;
  contact.size = {0.5, 0.5, 0.5};
  spec.contacts = {contact};
  // And one along a joint.
  ModelSpec sprung = mechanisms::one_body("slide", 1.0, 0.1, "to_slide", JointType::kPrismatic);
  sprung.joints[0].coordinates.resize(1);
  sprung.joints[0].coordinates[0].stiffness = 50.0;
  sprung.joints[0].initial_q = {0.5};
  spec.bodies.push_back(sprung.bodies[0]);
  spec.joints.push_back(sprung.joints[0]);
  return spec;
}

double push_on(const BodyLoad& load) { return dot(load.n, load.n) + dot(load.f, load.f); }

TEST(LoadedBodies, AreAllThatAnElementLooksAtAndPushes) {
  const Model model = mechanisms::compiled(boxes_with_every_kind());
  const State state(model);
  for (std::size_t index = 0; index < force_element_kinds().size(); ++index) {
    const ForceElementKind* kind = force_element_kinds()[index];
    ASSERT_GT(kind->count(model), 0U) << "this test wants one of each: " << index;
    std::vector<int> bodies;
    if (kind->add_bodies != nullptr) kind->add_bodies(model, bodies);
    Workspace ws(model);
    update_kinematics(model, state, ws);
    for (int k = 0; k < model.body_count(); ++k) {
      ws.load[k].n = ws.load[k].f = Vec3();
      if (std::find(bodies.begin(), bodies.end(), k) != bodies.end()) continue;
      BodyMotion& unseen = ws.motion[k];  // who looks at it finds no number
      const double nan = std::numeric_limits<double>::quiet_NaN();
      unseen.R.c[0] = unseen.R.c[1] = unseen.x = unseen.w = unseen.v = Vec3(nan, nan, nan);
    }

    kind->add_forces(model, state.q().data(), state.v().data(), ws);

    for (int k = 1; k < model.body_count(); ++k) {
      const bool is_told = std::find(bodies.begin(), bodies.end(), k) != bodies.end();
      EXPECT_EQ(push_on(ws.load[k]) > 0.0, is_told) << index << ' ' << model.body_name(k);
    }
    EXPECT_TRUE(ws.tau.allFinite()) << index;
  }
}

TEST(LoadedBodies, AreThoseOfAllKindsInOrder) {
  const Model model = mechanisms::compiled(boxes_with_every_kind());

  std::vector<int> expected = {0};
  for (const char* name : {"sprung", "left", "right", "hung", "standing"}) expected.push_back(model.find_body(name));
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(loaded_bodies(model), expected);
}

}  // namespace
}  // namespace kinloop
