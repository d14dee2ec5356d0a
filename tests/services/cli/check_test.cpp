// Tests the verb check: counts, and warnings of what will cause trouble.
#include "services/cli/check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/integrators/step_limits.hpp"
#include "services/cli/check_warnings.hpp"
#include "services/console/exit_code.hpp"
#include "tests/services/cli/run.hpp"
#include "tests/support/mechanisms.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop::cli {
namespace {

using testing::HasSubstr;

std::string warnings_of(const ModelSpec& spec, double dt_s = 1e-3) {
  const Model model = mechanisms::compiled(spec);
  std::string text;
  const FastestMotion fastest = fastest_at_start(model);
  for (const auto& list :
       {find_warnings(model, check_model(model), fastest), step_warnings(model, fastest, dt_s, "")}) {
    for (const Error& warning : list) text += warning.where + ": " + warning.what + "\n";
  }
  return text;
}

TEST(Check, SaysHowFastWhatFrictionHoldsCreepsDownASlope) {
  const auto on_a_slope = [](double slope_rad) {
    ModelSpec spec = mechanisms::pendulum();
    PlaneSpec plane;
    plane.name = "ramp";
    plane.frame.p.z() = -10.0;
    plane.frame.R << std::cos(slope_rad), 0.0, std::sin(slope_rad), 0.0, 1.0, 0.0, -std::sin(slope_rad), 0.0,
        std::cos(slope_rad);
    plane.stiffness = 100.0;
    plane.friction = 0.5;
    plane.friction_speed = 0.01;
    spec.planes = {plane};
    ContactSpec contact;
    contact.name = "tip";
    contact.body = "rod";
    contact.size.x() = 0.1;
    spec.contacts = {contact};
    return warnings_of(spec);
  };

  EXPECT_THAT(on_a_slope(std::atan(0.25)),
              HasSubstr("plane ramp: holds what rests on it, but for a creep of 5.5e-03 m/s"));
  EXPECT_THAT(on_a_slope(0.0), testing::Not(HasSubstr("creep")));
  EXPECT_THAT(on_a_slope(std::atan(0.6)), testing::Not(HasSubstr("creep"))) << "there it slides";
}

TEST(Check, CountsTheFreedomsOfAFourBar) {
  const Ran ran = run_kinloop({"check", test::vector_path("fourbar").string(), "--json"});

  ASSERT_EQ(ran.code, console::kDone) << ran.err;
  const auto report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report["nv"], 3);
  EXPECT_EQ(report["constraint_rows"], 5);
  EXPECT_EQ(report["rank"], 2);
  EXPECT_EQ(report["redundant"], 3);
  EXPECT_EQ(report["mobility"], 1);
  EXPECT_EQ(report["warnings"].size(), 0U) << report["warnings"];
}

TEST(Check, PrintsEveryStoredModel) {
  for (const std::string& name : test::vector_names()) {
    const Ran ran = run_kinloop({"check", test::vector_path(name).string()});

    EXPECT_EQ(ran.code, console::kDone) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("mobility"));
  }
}

TEST(Check, SaysHowEachLoopIsClosed) {
  const Ran ran = run_kinloop({"check", test::config_path("quick_return").string()});
  const Ran json = run_kinloop({"check", test::config_path("quick_return").string(), "--json"});

  ASSERT_EQ(ran.code, console::kDone) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("closure: closed_form (quick-return)\n"));
  EXPECT_THAT(ran.out, HasSubstr("closure: closed_form (slider-crank)\n"));
  const auto report = nlohmann::json::parse(json.out);
  EXPECT_EQ(report["loops"][0]["closure"], "closed_form");
  EXPECT_EQ(report["loops"][0]["linkage"], "quick-return");
  EXPECT_EQ(report["loops"][1]["linkage"], "slider-crank");
}

TEST(Check, SaysInWhichFormTheModelIsSolved) {
  const Ran planar = run_kinloop({"check", test::config_path("quick_return").string()});
  const Ran spatial = run_kinloop({"check", test::config_path("bricard").string()});
  const Ran json = run_kinloop({"check", test::config_path("quick_return").string(), "--json"});

  EXPECT_THAT(planar.out, HasSubstr("planar, three coordinates a body"));
  EXPECT_THAT(spatial.out, HasSubstr("spatial, six coordinates a body"));
  EXPECT_EQ(nlohmann::json::parse(json.out)["dynamics_form"], "planar");
}

TEST(Check, EstimatesTheFormulationThatARigNames) {
  const auto report_of = [](const std::string& dynamics) {
    const std::filesystem::path rig = process_folder() / ("stewart_by_" + dynamics + ".yaml");
    std::ofstream(rig) << "kinloop_rig: 1\nmodel: " << test::config_path("stewart_platform").string()
                       << "\nrate: 1 kHz\nsolver: {dynamics: " << dynamics << "}\n";
    const Ran ran = run_kinloop({"check", rig.string(), "--json"});
    EXPECT_EQ(ran.code, console::kDone) << ran.err;
    return nlohmann::json::parse(ran.out);
  };

  const auto partition = report_of("partition");
  const auto rcr = report_of("rcr");

  EXPECT_EQ(partition["dynamics"], "partition");
  EXPECT_EQ(partition["dynamics_reason"], "named by the rig");
  EXPECT_EQ(rcr["dynamics"], "rcr");
  EXPECT_GT(partition["evaluation_with_fallback_us"], 2.0 * rcr["evaluation_with_fallback_us"].get<double>());
}

TEST(Check, EstimatesAnEvaluationAlsoIfTheOpenTreeHasNoInertia) {
  const std::string file = test::config_path("four_bar").string();

  const Ran ran = run_kinloop({"check", file, "--set", "rocker_mass=0 kg"});
  const Ran json = run_kinloop({"check", file, "--set", "rocker_mass=0 kg", "--json"});

  EXPECT_THAT(ran.out, HasSubstr("us where an answer fails its check and another formulation is asked"));
  EXPECT_GT(nlohmann::json::parse(json.out)["evaluation_with_fallback_us"], 0.0);
}

TEST(Check, LoopsInSpaceAreClosedNumerically) {
  const Ran ran = run_kinloop({"check", test::config_path("bricard").string()});
  const Ran json = run_kinloop({"check", test::config_path("bricard").string(), "--json"});

  EXPECT_THAT(ran.out, HasSubstr("closure: numeric\n"));
  const auto report = nlohmann::json::parse(json.out);
  EXPECT_EQ(report["loops"][0]["closure"], "numeric");
  EXPECT_FALSE(report["loops"][0].contains("linkage"));
}

TEST(Check, SetsParametersOfTheFile) {
  const std::string file = test::config_path("n_four_bar").string();

  const Ran ran = run_kinloop({"check", file, "--set", "windows=3", "--set", "length=2*80 cm", "--json"});

  ASSERT_EQ(ran.code, console::kDone) << ran.err;
  const auto report = nlohmann::json::parse(ran.out);
  EXPECT_EQ(report["bodies"], 7);
  EXPECT_DOUBLE_EQ(report["centre_of_mass_m"][0], 2.4);
}

TEST(Check, ASettingNeedsANameAndAValue) {
  const Ran ran = run_kinloop({"check", test::config_path("n_four_bar").string(), "--set", "windows"});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.err, HasSubstr("--set: expected name=value, got 'windows'"));
}

TEST(Check, ABadStepIsRefused) {
  const std::string file = test::vector_path("pendulum").string();

  EXPECT_EQ(run_kinloop({"check", file, "--dt", "0"}).code, console::kBadInput);
  EXPECT_EQ(run_kinloop({"check", file, "--dt", "3 kg"}).code, console::kBadInput);
}

/// A spring of 1e6 N m/rad on a pendulum: 1732 /s.
std::string stiff_model() {
  const std::filesystem::path path = process_folder() / "stiff.yaml";
  std::ofstream(path)
      << "kinloop: 1\nbodies: [{name: b, mass: 1, com: [0, 0, -0.5], inertia: [0.0833, 0.0833, 0.01]}]\n"
         "joints: [{name: pin, type: revolute, predecessor: ground, successor: b, axis: [0, 1, 0], "
         "stiffness: 1e6 N*m/rad}]\n";
  return path.string();
}

TEST(Check, DoesNotWarnOfWhatAutoAvoids) {
  const Ran ran = run_kinloop({"check", stiff_model(), "--dt", "10 ms"});

  EXPECT_THAT(ran.out, HasSubstr("linearly_implicit: auto in sim: joint pin: the springs answer at 1732 /s"));
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("warning")));
}

TEST(Check, WarnsOfANamedIntegratorThatDiverges) {
  const Ran ran = run_kinloop({"check", stiff_model(), "--dt", "10 ms", "-i", "rk4"});

  EXPECT_THAT(ran.out, HasSubstr("warning: joint pin: the springs answer at 1732 /s"));
  EXPECT_THAT(ran.out, HasSubstr("and rk4 diverges"));
}

// The connecting rod turns by asin((0.1 +- 0.4) / 1.2) from the guide, whatever its joint's limits say.
TEST(Check, ListsLimitsThatADeadCentreKeepsOutOfReach) {
  std::ifstream file(test::config_path("slider_crank"));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::string last = "    q: -rod_angle\n";
  text.insert(text.find(last), "    limit: {lower: -2 rad, upper: 1 rad}\n");
  const std::filesystem::path path = process_folder() / "limited.yaml";
  std::ofstream(path) << text;

  const Ran ran = run_kinloop({"check", path.string()});
  const auto report = nlohmann::json::parse(run_kinloop({"check", path.string(), "--json"}).out);

  EXPECT_THAT(ran.out, HasSubstr("  joint C: -2, from the start it gets to -0.4"));
  EXPECT_EQ(report["warnings"].size(), 0U) << report["warnings"];
  ASSERT_EQ(report["limits_out_of_reach"].size(), 2U);
  EXPECT_NEAR(report["limits_out_of_reach"][0]["nearest"], -std::asin(0.5 / 1.2), 1e-3);
  EXPECT_NEAR(report["limits_out_of_reach"][1]["nearest"], std::asin(0.3 / 1.2), 1e-3);
}

TEST(Check, AnIntegratorThatDoesNotExistIsRefused) {
  const Ran ran = run_kinloop({"check", stiff_model(), "-i", "rk5"});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.err, HasSubstr("--integrator rk5: no such integrator; known are"));
}

TEST(CheckWarnings, ASoundModelHasNone) { EXPECT_EQ(warnings_of(mechanisms::double_pendulum()), ""); }

TEST(CheckWarnings, AHugeMassRatioBetweenNeighbours) {
  ModelSpec spec = mechanisms::double_pendulum();
  spec.bodies[0].mass *= 1e-5;
  spec.bodies[0].inertia *= 1e-5;

  EXPECT_THAT(warnings_of(spec), HasSubstr("differ in mass"));
}

// A rod of 1 m and 1 kg about its end has 1/3 kg m^2: k = 3e6/3 Nm/rad gives 1732 rad/s.
TEST(CheckWarnings, ASpringTooStiffForTheStep) {
  ModelSpec spec = mechanisms::pendulum();
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].stiffness = 1e6;

  EXPECT_THAT(warnings_of(spec, 1e-3), HasSubstr("1732 /s"));
  EXPECT_THAT(warnings_of(spec, 1e-3), HasSubstr("too coarse"));
  EXPECT_THAT(warnings_of(spec, 1e-2), HasSubstr("blow up"));
  EXPECT_EQ(warnings_of(spec, 1e-4), "");
}

TEST(CheckWarnings, AStartOutsideOfTheLimits) {
  ModelSpec spec = mechanisms::pendulum();
  spec.joints[0].coordinates.resize(1);
  spec.joints[0].coordinates[0].limit = LimitSpec{-0.5, 0.5, 1.0, 0.0};

  EXPECT_THAT(warnings_of(spec), HasSubstr("outside of its limits"));
}

TEST(CheckWarnings, AnOpenLoop) {
  ModelSpec spec = test::load_vectors("fourbar").model.spec();
  spec.joints[0].initial_q[0] += 0.1;

  EXPECT_THAT(warnings_of(spec), HasSubstr("is open at the start"));
}

TEST(CheckWarnings, SpeedsThatTearALoop) {
  ModelSpec spec = test::load_vectors("fourbar").model.spec();
  spec.joints[0].initial_u[0] += 0.1;

  EXPECT_THAT(warnings_of(spec), HasSubstr("tear the loops open"));
}

TEST(CheckWarnings, DrivesThatContradictALoop) {
  ModelSpec spec = test::load_vectors("fourbar").model.spec();
  for (const std::size_t i : {0U, 1U}) {
    spec.joints[i].coordinates.assign(1, {});
    spec.joints[i].coordinates[0].motion = FunctionSpec{{spec.joints[i].initial_q[0]}, 1.0, {}, {}, {}, 0.0};
  }

  EXPECT_THAT(warnings_of(spec), HasSubstr("contradict the loops"));
}

TEST(CheckWarnings, MillimetresTakenForMetres) {
  ModelSpec spec = mechanisms::double_pendulum();
  spec.bodies[0].com *= 1000.0;

  EXPECT_THAT(warnings_of(spec), HasSubstr("check the unit"));
}

TEST(Check, SaysWhichIntegratorARigGetsAndWhy) {
  const Ran named = run_kinloop({"check", "configs/rigs/excavator.yaml"});
  const Ran chosen = run_kinloop({"check", "configs/rigs/pendulum.yaml", "--json"});

  ASSERT_EQ(named.code, console::kDone) << named.err;
  EXPECT_THAT(named.out, HasSubstr("rk4: named by the rig"));
  ASSERT_EQ(chosen.code, console::kDone) << chosen.err;
  const auto report = nlohmann::json::parse(chosen.out);
  EXPECT_EQ(report["integrator"], "semi_implicit_euler");
  EXPECT_THAT(report["integrator_reason"].get<std::string>(), HasSubstr("auto: the step resolves"));
}

/// 500 kg on a shut valve, 10 ms, with a lag of 3 s.
TEST(Check, WarnsOfOilThatANamedIntegratorCannotHoldAndOfSlowActuators) {
  const std::filesystem::path folder = process_folder();
  std::ofstream(folder / "cyl.yaml") << R"(kinloop: 1
name: cyl
bodies: [{name: b, mass: 500 kg, inertia: [10, 10, 10]}]
joints: [{name: s, type: prismatic, predecessor: ground, successor: b, q: 0.3, limit: {lower: 0, upper: 1}}]
)";
  std::ofstream(folder / "cyl_rig.yaml") << R"(kinloop_rig: 1
model: cyl.yaml
step: 10ms
mode: free
solver: {integrator: rk4}
pumps: [{name: main, pressure: 200 bar, flow: 100 L/min}]
actuators:
  - {name: c, joint: s, kind: cylinder, lag: 3 s, cylinder: {pump: main, bore: 80 mm, rod: 50 mm, stroke: 1 m, valve_flow: 60 L/min}, command: {max_age: 1 s}}
)";

  const Ran ran = run_kinloop({"check", (folder / "cyl_rig.yaml").string()});

  ASSERT_EQ(ran.code, console::kDone) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("solver: actuator c: the drive answers at"));
  EXPECT_THAT(ran.out, HasSubstr("and rk4 diverges"));
  EXPECT_THAT(ran.out, HasSubstr("actuators[0].lag: turns commands by"));
}

}  // namespace
}  // namespace kinloop::cli
