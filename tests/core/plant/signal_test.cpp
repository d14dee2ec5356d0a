// Tests that signals are found by their public names, and that errors say what was perhaps meant.
#include "core/plant/signal.hpp"

#include <gtest/gtest.h>

#include "tests/support/mechanisms.hpp"
#include "tests/support/resting_bodies.hpp"

namespace kinloop {
namespace {

BodySpec body(const std::string& name) {
  BodySpec spec;
  spec.name = name;
  spec.mass = 1.0;
  spec.inertia = Matrix3::Identity();
  return spec;
}

JointSpec joint(const std::string& name, JointType type, const std::string& predecessor, const std::string& successor) {
  JointSpec spec;
  spec.name = name;
  spec.type = type;
  spec.predecessor = predecessor;
  spec.successor = successor;
  return spec;
}

/// A mast that turns, slides on a rail, and carries a head on a ball; a loop joint holds the mast as well.
Model machine() {
  ModelSpec spec;
  spec.bodies = {body("mast"), body("sledge"), body("head"), body("cap")};
  spec.joints = {
      joint("crank", JointType::kRevolute, "ground", "mast"), joint("rail", JointType::kPrismatic, "mast", "sledge"),
      joint("ball", JointType::kSpherical, "sledge", "head"), joint("lid", JointType::kFixed, "head", "cap")};
  spec.loops = {joint("bearing", JointType::kRevolute, "ground", "mast")};
  FrameOnBodySpec eye;
  eye.name = "eye";
  eye.body = "head";
  eye.pose.p = Vector3(0.1, 0.2, 0.3);
  FrameOnBodySpec cap = eye;
  cap.name = "cap";
  cap.body = "cap";
  spec.frames = {eye, cap};
  return mechanisms::compiled(spec);
}

PlantSpec plant() {
  PlantSpec spec;
  ActuatorSpec motor;
  motor.name = "motor";
  motor.joint = "crank";
  motor.kind = ActuatorKind::kDcMotor;
  ActuatorSpec lift;
  lift.name = "lift";
  lift.joint = "rail";
  lift.kind = ActuatorKind::kCylinder;
  spec.actuators = {motor, lift};
  spec.pumps = {PumpSpec{"main", {}}};
  return spec;
}

Signal found(std::string_view name) {
  const Result<Signal> signal = find_signal(machine(), plant(), name);
  if (!signal) ADD_FAILURE() << name << ": " << signal.error().what;
  return signal ? *signal : Signal{};
}

std::string refusal(std::string_view name) {
  const Result<Signal> signal = find_signal(machine(), plant(), name);
  return signal ? "found" : signal.error().what;
}

TEST(Signal, FindsCoordinatesAndTheirRates) {
  EXPECT_EQ(found("q.crank").kind, SignalKind::kCoordinate);
  EXPECT_EQ(found("q.crank").unit, SignalUnit::kRad);
  EXPECT_EQ(found("q.rail").index, 1);
  EXPECT_EQ(found("q.rail").unit, SignalUnit::kM);
  EXPECT_EQ(found("u.rail").unit, SignalUnit::kMPerS);
  EXPECT_EQ(found("a.crank").kind, SignalKind::kCoordinateAcceleration);
  EXPECT_EQ(found("a.crank").unit, SignalUnit::kRadPerS2);
}

TEST(Signal, CountsTheQuaternionsOfABallAndItsSpeedsApart) {
  EXPECT_EQ(found("q.ball.3").index, 5);
  EXPECT_EQ(found("q.ball.3").unit, SignalUnit::kNone);
  EXPECT_EQ(found("u.ball.2").index, 4);
  EXPECT_EQ(found("u.ball.2").unit, SignalUnit::kRadPerS);
  EXPECT_EQ(refusal("u.ball.3"), "joint 'ball' has 3 speeds: write 'u.ball.0' up to 'u.ball.2'");
}

TEST(Signal, FindsWhatActuatorsAndPumpsShow) {
  EXPECT_EQ(found("force.motor").unit, SignalUnit::kNm);
  EXPECT_EQ(found("force.lift").unit, SignalUnit::kN);
  EXPECT_EQ(found("current.motor").unit, SignalUnit::kA);
  EXPECT_EQ(found("pressure_a.lift").kind, SignalKind::kActuatorQuantity);
  EXPECT_EQ(found("pressure_b.lift").index, 1);
  EXPECT_EQ(found("pressure.main").unit, SignalUnit::kPa);
}

TEST(Signal, FindsPlacesOnFramesAndBodies) {
  const Signal eye = found("position.eye.y");

  EXPECT_EQ(eye.kind, SignalKind::kPosition);
  EXPECT_EQ(eye.body, machine().find_body("head"));
  EXPECT_EQ(eye.point, Vector3(0.1, 0.2, 0.3));
  EXPECT_EQ(eye.axis, 1);
  EXPECT_EQ(eye.unit, SignalUnit::kM);
  EXPECT_EQ(found("velocity.mast.z").point, Vector3::Zero());
  EXPECT_EQ(found("acceleration.sledge.x").unit, SignalUnit::kMPerS2);
  EXPECT_EQ(found("rate.ground.x").body, 0);
  EXPECT_EQ(found("rate.ground.x").unit, SignalUnit::kRadPerS);
}

TEST(Signal, FindsRopesAndContacts) {
  ModelSpec spec = mechanisms::ball_over_plane(1.0);
  RopeSpec rope;
  rope.name = "hoist";
  rope.body_a = kGround;
  rope.body_b = "body";
  rope.stiffness = 1.0;
  spec.ropes = {rope};
  const Model model = mechanisms::compiled(spec);

  EXPECT_EQ(find_signal(model, {}, "tension.hoist")->unit, SignalUnit::kN);
  EXPECT_EQ(find_signal(model, {}, "length.hoist")->unit, SignalUnit::kM);
  EXPECT_EQ(find_signal(model, {}, "contact.ball")->kind, SignalKind::kContactForce);
  EXPECT_EQ(find_signal(model, {}, "tension.hoits").error().what, "no rope is named 'hoits'; did you mean 'hoist'?");
  EXPECT_EQ(find_signal(model, {}, "contact.bll").error().what, "no contact is named 'bll'; did you mean 'ball'?");
}

TEST(Signal, AFrameComesBeforeABodyOfItsName) { EXPECT_EQ(found("position.cap.x").point, Vector3(0.1, 0.2, 0.3)); }

TEST(Signal, ProposesWhatWasPerhapsMeant) {
  EXPECT_EQ(refusal("q.crnak"), "no joint is named 'crnak'; did you mean 'crank'?");
  EXPECT_EQ(refusal("crank"), "'crank' is no signal; did you mean 'q.crank'?");
  EXPECT_EQ(refusal("force.moter"), "no actuator is named 'moter'; did you mean 'motor'?");
  EXPECT_EQ(refusal("pressure.mian"), "no pump is named 'mian'; did you mean 'main'?");
  EXPECT_EQ(refusal("position.eey.x"), "no frame or body is named 'eey'; did you mean 'eye'?");
  EXPECT_EQ(refusal("positon.eye.x"),
            "'positon.eye.x' is no signal; one starts with 'q', 'u', 'a', 'force', 'current', 'pressure_a', "
            "'pressure_b', 'pressure', 'position', 'velocity', 'acceleration', 'rate', 'tension', 'length', 'contact', "
            "'reaction' and a dot; did you mean 'position'?");
}

TEST(Signal, SaysWhyAThingHasNoSuchSignal) {
  EXPECT_EQ(refusal("q.ball"), "joint 'ball' has 4 coordinates: write 'q.ball.0' up to 'q.ball.3'");
  EXPECT_EQ(refusal("q.crank.0"), "joint 'crank' has one coordinate: write 'q.crank'");
  EXPECT_EQ(refusal("u.lid"), "joint 'lid' is fixed: it has no coordinate");
  EXPECT_EQ(refusal("q.bearing"), "joint 'bearing' closes a loop: it has no coordinate of its own");
  EXPECT_EQ(refusal("current.lift"), "actuator 'lift' is no DC motor: it has no current");
  EXPECT_EQ(refusal("pressure_a.motor"), "actuator 'motor' is no cylinder: it has no chambers");
  EXPECT_EQ(refusal("position.eye"), "lacks the axis: write 'position.eye.x', 'position.eye.y' or 'position.eye.z'");
  EXPECT_EQ(refusal("position.eye.w"), "'w' is no axis of the world; those are 'x', 'y', 'z'");
}

TEST(Signal, SurvivesAnyText) {
  for (const char* name :
       {"", ".", "q", "q.", "q..", "q.crank.", "q.ball.-1", "q.ball.99999999999", "rate.", "rate..x"}) {
    EXPECT_NE(refusal(name), "found") << name;
  }
}

TEST(Signal, FindsReactionsOfJointsCutOrNot) {
  EXPECT_EQ(found("reaction.rail.fy").kind, SignalKind::kReaction);
  EXPECT_EQ(found("reaction.rail.fy").unit, SignalUnit::kN);
  EXPECT_EQ(found("reaction.rail.fy").axis, 1);
  EXPECT_FALSE(found("reaction.rail.fy").of_loop);
  EXPECT_EQ(found("reaction.bearing.mz").unit, SignalUnit::kNm);
  EXPECT_EQ(found("reaction.bearing.mz").axis, 5);
  EXPECT_TRUE(found("reaction.bearing.mz").of_loop);
  EXPECT_EQ(refusal("reaction.bearin.mz"), "no joint is named 'bearin'; did you mean 'bearing'?");
  EXPECT_EQ(refusal("reaction.bearing"), "lacks the component: write 'reaction.bearing.fx' to 'reaction.bearing.mz'");
  EXPECT_EQ(found("reaction.lid.mx").axis, 3) << "a fixed joint is a load cell";
}

}  // namespace
}  // namespace kinloop
