// Tests what rig files become, what is warned of, and that what is written back loads to the same.
#include "services/rig/rig_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/dynamics/forward_dynamics.hpp"
#include "core/integrators/integrator.hpp"
#include "core/plant/coordinate_names.hpp"
#include "core/plant/signal.hpp"
#include "services/base/diagnostics.hpp"
#include "services/base/text_file.hpp"
#include "services/files/motion_columns.hpp"
#include "services/rig/write_rig.hpp"
#include "tests/services/import/import_fixture.hpp"
#include "tests/services/rig/rig_equality.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/pattern.hpp"

namespace kinloop {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A rig beside those of configs, with this model and these lines.
Result<LoadedRig, std::vector<Error>> rig_of(const std::string& model, const std::string& lines) {
  return load_rig_text("kinloop_rig: 1\nmodel: ../models/" + model + ".yaml\n" + lines, test::rig_path("it").string());
}

RigSpec spec_of(const std::string& model, const std::string& lines) {
  const auto rig = rig_of(model, lines);
  if (!rig) ADD_FAILURE() << to_text(rig.error());
  return rig ? rig->spec : RigSpec{};
}

std::string warnings_of(const std::string& model, const std::string& lines) {
  const auto rig = rig_of(model, lines);
  return rig ? to_text(rig->warnings) : "it does not load: " + to_text(rig.error());
}

class ConfigRigTest : public testing::TestWithParam<std::string> {};

TEST_P(ConfigRigTest, LoadsWithoutAWarning) {
  const auto rig = load_rig(test::rig_path(GetParam()));

  ASSERT_TRUE(rig) << to_text(rig.error());
  EXPECT_EQ(to_text(rig->warnings), "");
  EXPECT_EQ(to_text(rig->model.warnings), "");
  EXPECT_EQ(rig->spec.name, GetParam());
  EXPECT_EQ(rig->spec.commands.size(), rig->spec.plant.actuators.size());
}

TEST_P(ConfigRigTest, LoadsAgainToTheSameAfterItWasWritten) {
  const auto rig = load_rig(test::rig_path(GetParam()));
  ASSERT_TRUE(rig) << to_text(rig.error());
  const std::string model = "../models/" + rig->spec.model.filename().string();

  const std::string text = write_rig(rig->spec, model);
  const auto again = load_rig_text(text, test::rig_path(GetParam()).string());

  ASSERT_TRUE(again) << to_text(again.error()) << text;
  test::expect_equal(again->spec, rig->spec);
  EXPECT_EQ(write_rig(again->spec, model), text);
}

INSTANTIATE_TEST_SUITE_P(All, ConfigRigTest, testing::ValuesIn(test::rig_names()),
                         [](const testing::TestParamInfo<std::string>& param) { return param.param; });

// Every key, none with its default.
constexpr const char* kEverything = R"(
name: all of it
notes: "two\nlines, a \"quote\", a \\ and a tab\t"
parameters: {boom_lock: 0 N/m, arm_angle: -80 deg}
rate: 3 kHz
mode: lockstep
duration: 2 min
core: 3
priority: 70
seed: 123456789012345
longest_fault_delay: 33.3 ms
solver: {dynamics: semi_recursive_1, integrator: ab3, substeps: 2, loops: baumgarte, loop_tolerance: 1e-9,
         loop_iterations: 7, loop_max_open: 2e-3, baumgarte: [20, 30 Hz]}
degraded_solvers:
  - {integrator: heun}
  - {dynamics: rcr, substeps: 1, loops: none}
overrun: {policy: degrade, max_behind: 4, recover_after: 30, grace: 100.1 ms, max_consecutive: 5, max_in_window: 50,
          window: 600}
fault: freeze
watchdog: {timeout: 70 ms, core: 2, priority: 95, device: /dev/watchdog1}
frames: {rate: 3 kHz / 7, leave: at_release}
pumps:
  - {name: main, pressure: 281.7 bar, flow: 401 L/min, volume: 4.1 L, tank_pressure: 2.3 bar, bulk_modulus: 1.21 GPa}
actuators:
  - name: boom
    joint: boom_cylinder
    kind: cylinder
    cylinder: {pump: main, bore: 171 mm, rod: 121 mm, stroke: 1.26 m, dead_volume: 3.3 L, bulk_modulus: 1.23 GPa,
               valve_flow: 310 L/min, valve_drop: 36 bar, overlap: 0.03, leakage: 0.002 L/min/bar, relief: 371 bar,
               initial_a: 131.3 bar, initial_b: 11 bar}
    limits: [-0.9, 0.8]
    rate_limit: 7 Hz
    delay: 1.7 ms
    lag: 23 ms
    initial: 0.1
    command: {max_age: 37 ms, when_stale: freeze}
  - name: swing
    joint: swing
    kind: dc_motor
    dc_motor: {resistance: 0.31 ohm, inductance: 1.7 mH, torque_constant: 0.71 Nm/A, back_emf_constant: 0.7 V*s/rad,
               gear_ratio: 311}
    limits: [-700 V, 650 V]
    command: {max_age: 37 ms, when_stale: ramp, ramp: 333.3 V/s}
sensors:
  - {name: angle, signal: q.swing, rate: 3 kHz / 11, delay: 3.3 ms, bias: 0.1 deg, drift: 0.01 deg/s, noise: 0.02 deg,
     quantum: 1 rev / 4096, saturation: [-100 deg, 99 deg], dropout: 0.013, on_fault: {value: 7 deg}}
  - {name: height, signal: position.teeth.z, on_fault: invalid}
adapters:
  - {kind: udp, listen: 0.0.0.0, port: 9511, insecure: true, senders: [10.0.0.8, 10.0.0.9], peer: 10.0.0.7, peer_port: 9512, actuators: [swing],
     sensors: [height, angle], rate: 3 kHz / 14, lease: 250 ms}
  - {kind: udp, listen: "::1", port: 9511, reply: true, sensors: []}
  - {kind: playback, file: "a \"quoted\" name.csv", interpolation: linear, repeat: true, start: 1.5 s}
stop_inputs:
  - {kind: gpio, device: /dev/gpiochip1, line: 17, contact: normally_closed, active: low, bias: pull_up}
  - {kind: key, device: /dev/input/event3, key: BTN_TRIGGER, contact: normally_open}
)";

TEST(RigFile, EveryKeySurvivesBeingWritten) {
  const RigSpec spec = spec_of("excavator", kEverything);

  const std::string text = write_rig(spec, "../models/excavator.yaml");
  const auto again = load_rig_text(text, test::rig_path("it").string());

  ASSERT_TRUE(again) << to_text(again.error()) << text;
  test::expect_equal(again->spec, spec);
}

TEST(RigFile, EveryKeyArrives) {
  const RigSpec spec = spec_of("excavator", kEverything);
  const PlantSpec& plant = spec.plant;

  EXPECT_EQ(spec.notes, "two\nlines, a \"quote\", a \\ and a tab\t");
  EXPECT_EQ(plant.dt_s, 1.0 / 3000.0);
  EXPECT_EQ(spec.mode, rt::Mode::kLockstep);
  EXPECT_EQ(spec.duration_s, 120.0);
  EXPECT_EQ(plant.seed, 123456789012345U);
  ASSERT_EQ(plant.levels.size(), 3U);
  EXPECT_EQ(plant.levels[1].dynamics, "semi_recursive_1");  // as the first level
  EXPECT_EQ(plant.levels[1].integrator, "heun");
  EXPECT_EQ(plant.levels[2].loops.kind, StabilizationKind::kNone);
  EXPECT_EQ(plant.levels[2].loops.baumgarte.b_per_s, 30.0);
  EXPECT_EQ(spec.overrun.levels, 3);
  EXPECT_EQ(spec.overrun.grace_steps, 301);  // 300.3, rounded up
  EXPECT_EQ(spec.frames.every, 7);
  EXPECT_EQ(spec.commands[0].max_age_ticks, 111);
  EXPECT_EQ(spec.commands[0].upper, 0.8);
  EXPECT_EQ(spec.commands[0].initial, 0.1);
  EXPECT_DOUBLE_EQ(spec.commands[1].ramp_per_tick, 333.3 / 3000.0);
  EXPECT_EQ(plant.sensors[0].settings.every, 11);
  EXPECT_EQ(plant.sensors[0].on_fault, OnFault::kValue);
  EXPECT_DOUBLE_EQ(plant.pumps[0].settings.flow_m3_per_s, 0.401 / 60.0);
}

TEST(RigFile, EveryKeyOfAdaptersArrives) {
  const RigSpec spec = spec_of("excavator", kEverything);

  EXPECT_DOUBLE_EQ(spec.plant.longest_fault_delay_s, 0.0333);
  ASSERT_EQ(spec.adapters.size(), 3U);
  const auto& udp = std::get<UdpAdapterSpec>(spec.adapters[0]);
  EXPECT_EQ(udp.listen, "0.0.0.0");
  EXPECT_EQ(udp.port, 9511);
  EXPECT_TRUE(udp.insecure);
  EXPECT_EQ(udp.peer, "10.0.0.7");
  EXPECT_EQ(udp.peer_port, 9512);
  EXPECT_EQ(udp.actuators, std::vector<std::string>{"swing"});
  EXPECT_EQ(udp.sensors, (std::vector<std::string>{"height", "angle"}));
  EXPECT_EQ(udp.every, 14);
  EXPECT_EQ(udp.lease_s, 0.25);
  const auto& local = std::get<UdpAdapterSpec>(spec.adapters[1]);
  EXPECT_TRUE(local.replies());
  EXPECT_EQ(local.actuators, (std::vector<std::string>{"boom", "swing"})) << "all";
  EXPECT_TRUE(local.sensors.empty());
  EXPECT_EQ(local.every, 7) << "that of the rig's frames";
  EXPECT_EQ(local.lease_s, 0.1);
  const auto& playback = std::get<PlaybackAdapterSpec>(spec.adapters[2]);
  EXPECT_EQ(playback.file, test::rig_path("it").parent_path() / "a \"quoted\" name.csv");
  EXPECT_EQ(playback.interpolation, Interpolation::kLinear);
  EXPECT_TRUE(playback.repeat);
  EXPECT_EQ(playback.start_s, 1.5);
}

TEST(RigFile, EveryKeyOfStopInputsArrives) {
  const RigSpec spec = spec_of("excavator", kEverything);

  ASSERT_EQ(spec.stop_inputs.size(), 2U);
  const StopInputSpec& line = spec.stop_inputs[0];
  EXPECT_EQ(line.kind, StopInputSpec::Kind::kGpio);
  EXPECT_EQ(line.device, "/dev/gpiochip1");
  EXPECT_EQ(line.line, 17U);
  EXPECT_EQ(line.contact, StopInputSpec::Contact::kNormallyClosed);
  EXPECT_EQ(line.active, StopInputSpec::Active::kLow);
  EXPECT_EQ(line.bias, StopInputSpec::Bias::kPullUp);
  const StopInputSpec& key = spec.stop_inputs[1];
  EXPECT_EQ(key.kind, StopInputSpec::Kind::kKey);
  EXPECT_EQ(key.key, 0x120) << "BTN_TRIGGER of linux/input-event-codes.h";
  EXPECT_EQ(key.contact, StopInputSpec::Contact::kNormallyOpen);
}

TEST(RigFile, AFaultDelayOfZeroIsNone) {
  EXPECT_EQ(spec_of("pendulum", "step: 1 ms\nlongest_fault_delay: 0\n").plant.longest_fault_delay_s, 0.0);
}

TEST(RigFile, TheUsualFaultDelayFitsTheShortestStep) {
  EXPECT_EQ(spec_of("pendulum", "step: 1 us\n").plant.longest_fault_delay_s, 0.1);
}

TEST(RigFile, WhatIsNotGivenIsAsTheSettingsHaveIt) {
  const RigSpec spec = spec_of("pendulum",
                               "step: 1 ms\n"
                               "actuators: [{name: motor, joint: pin, kind: force, command: {max_age: none}}]\n"
                               "sensors: [{name: angle, signal: q.pin}]\n");
  RigSpec expected;
  expected.name = "pendulum";
  expected.model = spec.model;
  expected.plant.actuators.resize(1);
  expected.plant.actuators[0].name = "motor";
  expected.plant.actuators[0].joint = "pin";
  expected.commands.resize(1);
  expected.plant.sensors.resize(1);
  expected.plant.sensors[0].name = "angle";
  expected.plant.sensors[0].signal = "q.pin";

  test::expect_equal(spec, expected);
}

TEST(RigFile, NoneAndAutoAreNoBounds) {
  const RigSpec spec = spec_of("pendulum", R"(step: 1 ms
duration: none
core: auto
overrun: {max_consecutive: none, max_in_window: none}
watchdog: {timeout: auto, core: auto, device: none, life_timeout: none}
actuators:
  - {name: motor, joint: pin, kind: force, limits: none, rate_limit: none, command: {max_age: none}}
sensors: [{name: angle, signal: q.pin, saturation: none}]
)");

  EXPECT_EQ(spec.duration_s, 0.0);
  EXPECT_EQ(spec.core, -1);
  EXPECT_EQ(spec.overrun.max_consecutive, 0);
  EXPECT_EQ(spec.watchdog.timeout_s, 0.0);
  EXPECT_EQ(spec.watchdog.life_timeout_s, 0.0);
  EXPECT_EQ(spec.plant.actuators[0].chain.upper, kInfinity);
  EXPECT_EQ(spec.plant.actuators[0].chain.rate_per_s, kInfinity);
  EXPECT_EQ(spec.commands[0].max_age_ticks, 0);
  EXPECT_EQ(spec.plant.sensors[0].settings.lower, -kInfinity);
}

TEST(RigFile, AMotorTakesGearAndBackEmfFromWhatIsKnown) {
  const RigSpec spec =
      spec_of("pendulum",
              "step: 1 ms\nactuators:\n"
              "  - {name: motor, joint: pin, kind: dc_motor, dc_motor: {resistance: 1 ohm, torque_constant: 50 mNm/A}, "
              "command: {max_age: 1 s}}\n");

  EXPECT_EQ(spec.plant.actuators[0].motor.back_emf_Vs, 0.05);
  EXPECT_EQ(spec.plant.actuators[0].motor.gear_ratio, 1.0);
}

TEST(RigFile, ParametersReplaceThoseOfTheModel) {
  const auto rig = rig_of("pendulum", "step: 1 ms\n");
  const auto heavier = rig_of("four_bar", "step: 1 ms\nparameters: {crank_mass: 2 * 3 kg}\n");
  ASSERT_TRUE(rig);
  ASSERT_TRUE(heavier);

  const Model& model = heavier->model.model;
  EXPECT_DOUBLE_EQ(model.body(model.find_body("crank")).mass, 6.0);
}

TEST(RigFile, SaysHowTheBaseOfAForeignModelStands) {
  const auto file = write_test_file("arm.urdf", R"(<robot name="arm"><link name="foot"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link></robot>)");
  const auto rig_with = [&](const std::string& base) {
    return load_rig_text("kinloop_rig: 1\nmodel: arm.urdf\nstep: 1 ms\n" + base,
                         (file.parent_path() / "it.yaml").string());
  };
  const auto floating = rig_with("base: floating\n");
  const auto fixed = rig_with("base: fixed\n");
  const auto wrong = rig_with("base: flying\n");

  ASSERT_TRUE(floating) << to_text(floating.error());
  EXPECT_EQ(floating->model.model.nv(), 6);
  EXPECT_THAT(write_rig(floating->spec, "arm.urdf"), HasSubstr("base: floating\n"));
  EXPECT_FALSE(fixed && fixed->model.model.nv() != 0);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(to_text(wrong.error()), HasSubstr("base"));
}

TEST(RigFile, TwoActuatorsMayMoveOneCoordinate) {
  const RigSpec spec = spec_of("pendulum",
                               "step: 1 ms\nactuators:\n"
                               "  - {name: motor, joint: pin, kind: force, command: {max_age: none}}\n"
                               "  - {name: brake, joint: pin, kind: force, command: {max_age: none}}\n");

  EXPECT_EQ(spec.plant.actuators.size(), 2U);
}

TEST(RigFile, AgesAreRoundedDownAndDecimalFractionsAreWhole) {
  const auto ticks = [](const std::string& age) {
    return spec_of("pendulum",
                   "step: 0.1 ms\nactuators:\n  - {name: motor, joint: pin, kind: force, command: {max_age: " + age +
                       ", when_stale: zero}}\n")
        .commands[0]
        .max_age_ticks;
  };

  EXPECT_EQ(ticks("20 ms"), 200);
  EXPECT_EQ(ticks("0.3 ms"), 3);
  EXPECT_EQ(ticks("0.39 ms"), 3);
}

TEST(RigFile, WarnsOfWhatIsPerhapsNotMeant) {
  EXPECT_THAT(warnings_of("pendulum", "rate: 3 kHz\n"),
              HasSubstr("it.yaml:3:7: rate: is no whole number of nanoseconds: the clock will release a step every "
                        "333333 ns"));
  EXPECT_THAT(warnings_of("pendulum", "rate: 1 kHz\ndegraded_solvers: [{substeps: 1}]\n"),
              HasSubstr("degraded_solvers: are not used: only 'overrun: degrade' does"));
  EXPECT_THAT(warnings_of("pendulum", "rate: 1 kHz\npumps: [{name: main, pressure: 250 bar, flow: 1 L/s}]\n"),
              HasSubstr("it.yaml:4:9: pumps[0]: no cylinder uses it"));
}

std::string lines_with_solver(const std::string& rate, const std::string& dynamics) {
  return "rate: " + rate + "\nsolver: {integrator: semi_implicit_euler, dynamics: " + dynamics + "}\n";
}

constexpr const char* kRepeats = "one that another formulation has to repeat takes about";

TEST(RigFile, WarnsWhereNoTimeIsLeftToRepeatAnAnswerOfTheFormulationThatItNames) {
  EXPECT_THAT(warnings_of("stewart_platform", lines_with_solver("50 kHz", "rcr")), Not(HasSubstr(kRepeats)));
  EXPECT_THAT(warnings_of("stewart_platform", lines_with_solver("50 kHz", "auto")), Not(HasSubstr(kRepeats)));
  EXPECT_THAT(warnings_of("stewart_platform", lines_with_solver("50 kHz", "partition")), HasSubstr(kRepeats));
}

TEST(RigFile, CountsAllSubStepsWhereAnAnswerMayHaveToBeRepeated) {
  const auto solver = [](const std::string& substeps) {
    return "rate: 50 kHz\nsolver: {integrator: semi_implicit_euler, dynamics: rcr, substeps: " + substeps + "}\n";
  };

  EXPECT_THAT(warnings_of("stewart_platform", solver("1")), Not(HasSubstr(kRepeats)));
  EXPECT_THAT(warnings_of("stewart_platform", solver("4")), HasSubstr(kRepeats));
}

// A massless rocker at the end of the open tree: `rcr`, and `partition` to repeat it.
TEST(RigFile, WarnsWhereNoTimeIsLeftAlsoIfTheOpenTreeHasNoInertia) {
  const std::string massless = "parameters: {rocker_mass: 0 kg}\n";

  EXPECT_THAT(warnings_of("four_bar", lines_with_solver("10 kHz", "auto") + massless), Not(HasSubstr(kRepeats)));
  EXPECT_THAT(warnings_of("four_bar", lines_with_solver("1000 kHz", "auto") + massless), HasSubstr(kRepeats));
}

std::string lines_with_lever(const std::string& max_age, const std::string& keys) {
  return "rate: 1 kHz\nactuators: [{name: motor, joint: pin, kind: force, limits: [-5 Nm, 20 Nm], initial: 3 Nm, "
         "command: {max_age: " +
         max_age + ", when_stale: zero}}]\npanel: {drive: [{actuator: motor" + keys + "}]}\n";
}

TEST(RigFile, ALeverRestsWhereTheActuatorBegins) {
  EXPECT_EQ(spec_of("pendulum", lines_with_lever("200 ms", "")).panel.axes.at(0).rest, 3.0);
  EXPECT_EQ(spec_of("pendulum", lines_with_lever("200 ms", ", rest: 0")).panel.axes.at(0).rest, 0.0);
  EXPECT_EQ(spec_of("pendulum", lines_with_lever("200 ms", ", range: [-1, 1]")).panel.axes.at(0).rest, 1.0);
}

TEST(RigFile, WarnsOfLeversWhoseCommandsAgeBeforeTheNextComes) {
  EXPECT_EQ(warnings_of("pendulum", lines_with_lever("200 ms", "")), "");
  EXPECT_THAT(warnings_of("pendulum", lines_with_lever("20 ms", "")),
              HasSubstr("panel.drive[0].actuator: its commands are too old before the next comes"));
}

TEST(RigFile, WarnsOfCommandsThatNeverGrowOld) {
  const auto lines = [](const std::string& age) {
    return "rate: 1 kHz\nactuators: [{name: motor, joint: pin, kind: force, command: {max_age: " + age + "}}]\n";
  };

  EXPECT_EQ(warnings_of("pendulum", lines("1 s")), "");
  EXPECT_THAT(warnings_of("pendulum", lines("none")),
              HasSubstr("actuators[0].command.max_age: commands of this actuator never grow old"));
}

TEST(RigFile, InFreeModeAnActuatorMayDoWithoutAnAge) {
  const std::string lines = "rate: 1 kHz\nactuators: [{name: motor, joint: pin, kind: force}]\n";

  const std::string without = lines + "mode: free\n";
  const std::string empty = test::replaced(without, "kind: force", "kind: force, command: {when_stale: hold}");
  const std::string none = test::replaced(without, "kind: force", "kind: force, command: {max_age: none}");

  EXPECT_THAT(warnings_of("pendulum", without), HasSubstr("actuators[0]: missing key 'command'"));
  EXPECT_THAT(warnings_of("pendulum", empty), HasSubstr("actuators[0].command: missing key 'max_age'"));
  for (const std::string& text : {without, empty}) {
    const RigSpec spec = spec_of("pendulum", text);
    EXPECT_EQ(spec.commands[0].max_age_ticks, spec_of("pendulum", none).commands[0].max_age_ticks);
    EXPECT_THAT(spec.lacking_age, testing::ElementsAre("motor"));
  }
  EXPECT_TRUE(spec_of("pendulum", none).lacking_age.empty());
}

TEST(RigFile, WarnsOfCylindersThatDoNotFitTheirJoints) {
  const auto lines = [](const std::string& stroke, const std::string& relief) {
    return "rate: 1 kHz\npumps: [{name: main, pressure: 250 bar, flow: 1 L/s}]\nactuators:\n"
           "  - {name: boom, joint: boom_cylinder, kind: cylinder, cylinder: {pump: main, bore: 10 cm, rod: 5 cm, "
           "valve_flow: 1 L/s, stroke: " +
           stroke + ", relief: " + relief + "}, command: {max_age: 1 s}}\n";
  };

  EXPECT_EQ(warnings_of("excavator", lines("1.26 m", "300 bar")), "");
  EXPECT_THAT(warnings_of("excavator", lines("1.2 m", "300 bar")),
              HasSubstr("stroke: the joint's stops, 0 to 1.26 m, lie beyond the stroke of 1.2 m"));
  EXPECT_THAT(warnings_of("excavator", lines("1.26 m", "200 bar")),
              HasSubstr("relief: opens at 2e+07 Pa, before the pump's 2.5e+07 Pa are reached"));
}

TEST(RigFile, ChecksARigAgainstAModelWithoutOpeningFiles) {
  const auto model = load_model(test::config_path("pendulum"));
  ASSERT_TRUE(model);

  const auto rig =
      read_rig_text("kinloop_rig: 1\nmodel: nowhere.yaml\nstep: 1 ms\nsensors: [{name: a, signal: q.pin}]\n", "it.yaml",
                    model->model);

  ASSERT_TRUE(rig) << to_text(rig.error());
  EXPECT_EQ(rig->spec.model, "nowhere.yaml");
}

TEST(RigFile, SignalsAreNamedAsTheColumnsOfSim) {
  for (const std::string& name : test::config_names()) {
    const auto loaded = load_model(test::config_path(name));
    ASSERT_TRUE(loaded);
    int q = 0;
    int u = 0;
    for (const MotionColumn& column : motion_columns(loaded->model)) {
      if (!column.name.starts_with("q.") && !column.name.starts_with("u.")) continue;
      const auto signal = find_signal(loaded->model, PlantSpec{}, column.name);
      ASSERT_TRUE(signal) << name << ": " << column.name << ": " << signal.error().what;
      EXPECT_EQ(signal->index, column.name[0] == 'q' ? q++ : u++) << name << ": " << column.name;
      EXPECT_EQ(signal->unit == SignalUnit::kM, column.quantity == MotionQuantity::kPosition) << column.name;
      EXPECT_EQ(signal->unit == SignalUnit::kMPerS, column.quantity == MotionQuantity::kSpeed) << column.name;
    }
  }
}

TEST(RigFile, TheSchemaKnowsEveryMethod) {
  constexpr std::size_t kMaxBytes = 1 << 20;
  const auto schema = read_text_file(std::string(KINLOOP_SOURCE_DIR) + "/docs/rig.schema.json", kMaxBytes);
  ASSERT_TRUE(schema);

  for (const DynamicsKind& kind : dynamics_kinds()) {
    EXPECT_THAT(*schema, HasSubstr("\"" + std::string(kind.name) + "\""));
  }
  for (const IntegratorKind& kind : integrator_kinds()) {
    EXPECT_THAT(*schema, HasSubstr("\"" + std::string(kind.name) + "\""));
  }
}

}  // namespace
}  // namespace kinloop
