// Tests what a page is given to draw: scenes of the rigs, poses and arrows of a motion, the rig's own wishes.
#include "services/gateway/scene.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "core/plant/plant.hpp"
#include "services/base/diagnostics.hpp"
#include "services/gateway/view_maker.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::gateway {
namespace {

LoadedRig rig_of(const std::string& name) {
  auto rig = load_rig(test::rig_path(name));
  if (!rig) throw std::runtime_error(to_text(rig.error()));
  return std::move(rig).value();
}

/// As the rig starts.
v1::Motion first_motion(const LoadedRig& rig) {
  auto plant = Plant::make(rig.model.model, rig.spec.plant);
  const State state = (*plant)->initial_state();
  v1::Motion motion;
  motion.mutable_q()->Assign(state.q().begin(), state.q().end());
  motion.mutable_u()->Assign(state.v().begin(), state.v().end());
  for (std::size_t i = 0; i < rig.spec.plant.actuators.size(); ++i) {
    motion.add_commands(0.0);
    motion.add_forces((*plant)->force_of(i, state));
    motion.add_age_ticks(0);
  }
  return motion;
}

class SceneTest : public testing::TestWithParam<const char*> {};

TEST_P(SceneTest, EveryBodyHasAShapeAndEveryJointItsBodies) {
  const LoadedRig rig = rig_of(GetParam());

  const v1::Scene scene = make_scene(rig);

  const Model& model = rig.model.model;
  ASSERT_EQ(scene.bodies_size(), model.body_count());
  for (int k = 1; k < scene.bodies_size(); ++k) {
    EXPECT_GT(scene.bodies(k).shapes_size(), 0) << scene.bodies(k).name();
    for (const v1::SceneShape& shape : scene.bodies(k).shapes()) EXPECT_EQ(shape.pose_size(), 7);
  }
  EXPECT_EQ(static_cast<std::size_t>(scene.joints_size()), model.spec().joints.size() + model.loops().size());
  EXPECT_GT(scene.size_m(), 0.0F);
  EXPECT_EQ(scene.centre_size(), 3);
}

/// Where a point of a body is in the picture; body 0 is the ground.
Eigen::Vector3f shown(const v1::View& view, std::uint32_t body, const Vector3& point) {
  const Eigen::Vector3f local = point.cast<float>();
  if (body == 0) return local;
  const float* pose = view.poses().data() + 7 * (body - 1);
  const Eigen::Quaternionf turn(pose[3], pose[4], pose[5], pose[6]);
  return turn * local + Eigen::Vector3f(pose[0], pose[1], pose[2]);
}

TEST_P(SceneTest, LoopsCloseInThePictureToo) {
  const LoadedRig rig = rig_of(GetParam());
  const v1::Scene scene = make_scene(rig);
  ViewMaker views(rig);
  v1::View view;

  ASSERT_TRUE(views.make(first_motion(rig), view));

  ASSERT_EQ(view.poses_size(), 7 * (scene.bodies_size() - 1));
  for (const JointSpec& loop : rig.model.model.spec().loops) {
    if (loop.type != JointType::kRevolute && loop.type != JointType::kSpherical) continue;
    const auto body = [&](const std::string& name) {
      return static_cast<std::uint32_t>(std::max(0, rig.model.model.find_body(name)));
    };
    const Eigen::Vector3f a = shown(view, body(loop.predecessor), loop.frame_pred.p);
    const Eigen::Vector3f b = shown(view, body(loop.successor), loop.frame_succ.p);
    EXPECT_LT((a - b).norm(), 1e-4F * scene.size_m()) << loop.name;
  }
}

TEST_P(SceneTest, ArrowsAreFiniteAndNameWhatIsThere) {
  const LoadedRig rig = rig_of(GetParam());
  const v1::Scene scene = make_scene(rig);
  ViewMaker views(rig);
  const v1::Motion motion = first_motion(rig);
  v1::View view;
  ASSERT_TRUE(views.make(motion, view));

  views.add_arrows(motion, view);

  for (const v1::Arrow& arrow : view.arrows()) {
    ASSERT_EQ(arrow.force_size() + arrow.moment_size(), 3);
    ASSERT_EQ(arrow.point_size(), 3);
    for (const float part : arrow.force()) EXPECT_TRUE(std::isfinite(part));
    for (const float part : arrow.moment()) EXPECT_TRUE(std::isfinite(part));
    if (arrow.kind() == v1::Arrow::KIND_REACTION) {
      EXPECT_LT(arrow.of(), static_cast<std::uint32_t>(scene.joints_size()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rigs, SceneTest,
                         testing::Values("four_bar", "five_bar", "stewart", "excavator", "crane", "double_wishbone",
                                         "cart_pole", "pendulum"));

TEST(ViewMaker, AMotionOfAnotherRigIsRefused) {
  const LoadedRig rig = rig_of("four_bar");
  ViewMaker views(rig);
  v1::View view;
  v1::Motion motion;
  motion.add_q(1.0);

  EXPECT_FALSE(views.make(motion, view));
}

TEST(ViewMaker, APendulumPinCarriesItsWeightAtRest) {
  const LoadedRig rig = rig_of("pendulum");
  ViewMaker views(rig);
  v1::Motion motion = first_motion(rig);
  motion.set_q(0, 0.0);
  motion.set_u(0, 0.0);
  v1::View view;
  ASSERT_TRUE(views.make(motion, view));

  views.add_arrows(motion, view);

  double mass = 0.0;
  for (const BodySpec& body : rig.model.model.spec().bodies) mass += body.mass;
  ASSERT_EQ(view.arrows_size(), 1);
  EXPECT_NEAR(view.arrows(0).force(2), mass * 9.81, 1e-3 * mass);
}

TEST(ViewMaker, AMotorActsAboutItsAxis) {
  const LoadedRig rig = rig_of("pendulum");
  ViewMaker views(rig);
  v1::Motion motion = first_motion(rig);
  motion.set_forces(0, 2.5);
  v1::View view;
  ASSERT_TRUE(views.make(motion, view));

  views.add_arrows(motion, view);

  const auto& arrows = view.arrows();
  const auto of_motor = std::find_if(arrows.begin(), arrows.end(),
                                     [](const v1::Arrow& arrow) { return arrow.kind() == v1::Arrow::KIND_ACTUATOR; });
  ASSERT_NE(of_motor, arrows.end());
  ASSERT_EQ(of_motor->moment_size(), 3);
  EXPECT_EQ(of_motor->force_size(), 0);
  EXPECT_NEAR(std::abs(of_motor->moment(0)) + std::abs(of_motor->moment(1)) + std::abs(of_motor->moment(2)), 2.5F,
              1e-6F);
}

TEST(ViewMaker, AJointThatTurnsAndSlidesHasAnArrowForEachActuator) {
  const std::filesystem::path folder = process_folder() / "sleeve";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "sleeve.yaml")
      << "kinloop: 1\nname: sleeve\nbodies:\n"
         "  - {name: sleeve, mass: 1 kg, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}\njoints:\n"
         "  - {name: rod, type: cylindrical, predecessor: ground, successor: sleeve}\n";
  std::ofstream(folder / "rig.yaml") << "kinloop_rig: 1\nname: sleeve\nmodel: sleeve.yaml\nrate: 1 kHz\nactuators:\n"
                                        "  - {name: turn, joint: rod.0, kind: force, command: {max_age: none}}\n"
                                        "  - {name: push, joint: rod.1, kind: force, command: {max_age: none}}\n";
  const auto rig = load_rig(folder / "rig.yaml");
  ASSERT_TRUE(rig) << to_text(rig.error());
  ViewMaker views(*rig);
  v1::Motion motion = first_motion(*rig);
  motion.set_forces(0, 2.5);
  motion.set_forces(1, 40.0);
  v1::View view;
  ASSERT_TRUE(views.make(motion, view));

  views.add_arrows(motion, view);

  ASSERT_GE(view.arrows_size(), 2);
  EXPECT_EQ(view.arrows(0).kind(), v1::Arrow::KIND_ACTUATOR);
  ASSERT_EQ(view.arrows(0).moment_size(), 3);
  EXPECT_FLOAT_EQ(view.arrows(0).moment(2), 2.5F);
  EXPECT_EQ(view.arrows(1).kind(), v1::Arrow::KIND_ACTUATOR);
  ASSERT_EQ(view.arrows(1).force_size(), 3);
  EXPECT_FLOAT_EQ(view.arrows(1).force(2), 40.0F);
}

TEST(ViewMaker, ARopeIsAsLongAsTheWinchLetItOut) {
  const LoadedRig rig = rig_of("crane");
  ViewMaker views(rig);
  v1::Motion motion = first_motion(rig);
  const Rope& rope = rig.model.model.ropes().front();
  v1::View before;
  v1::View after;
  ASSERT_TRUE(views.make(motion, before));
  motion.set_q(rope.q_winch, motion.q(rope.q_winch) + 0.5);

  ASSERT_TRUE(views.make(motion, after));

  ASSERT_EQ(after.rest_lengths_size(), after.tensions_size());
  const int last = after.rest_lengths_size() - 1;
  EXPECT_NEAR(after.rest_lengths(last) - before.rest_lengths(last), 0.5 * rope.pay_out, 1e-5);
}

}  // namespace
}  // namespace kinloop::gateway
