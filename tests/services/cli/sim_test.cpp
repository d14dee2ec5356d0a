// Tests the verb sim inside the process: the file it writes and how it ends.
#include "services/cli/sim.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "services/base/diagnostics.hpp"
#include "services/cli/motion_csv.hpp"
#include "services/console/exit_code.hpp"
#include "tests/services/cli/run.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop::cli {
namespace {

using testing::HasSubstr;

std::vector<std::string> sim_lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

const std::string kPendulum = test::vector_path("pendulum").string();

TEST(Sim, WritesOneRowPerSampleAndTheStart) {
  const Ran ran = run_kinloop({"sim", kPendulum, "--duration", "1", "--dt", "10 ms", "--every", "10", "-o", "-"});

  ASSERT_EQ(ran.code, console::kDone) << ran.err;
  const std::vector<std::string> lines = sim_lines_of(ran.out);
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_EQ(lines[0], "t,q.j1,u.j1,kinetic_J,potential_J");
  EXPECT_THAT(lines[1], testing::StartsWith("0,-1.5899192946916307,0,0,"));
  EXPECT_NEAR(std::stod(lines.back()), 1.0, 1e-12);
}

TEST(Sim, TheEndIsWrittenEvenBetweenTwoSamples) {
  const Ran ran = run_kinloop({"sim", kPendulum, "--duration", "25 ms", "--dt", "1 ms", "--every", "10", "-o", "-"});

  EXPECT_EQ(sim_lines_of(ran.out).size(), 1U + 4U);
}

TEST(Sim, SetsParametersOfTheFile) {
  const Ran ran = run_kinloop(
      {"sim", test::config_path("n_four_bar").string(), "--set", "windows=1", "--duration", "1 ms", "-o", "-"});

  ASSERT_EQ(ran.code, console::kDone) << ran.err;
  EXPECT_THAT(ran.out, testing::StartsWith("t,q.A0,q.B0,q.C1,u.A0,u.B0,u.C1,"));
}

TEST(Sim, ReportsSpeedAndEnergy) {
  const Ran ran = run_kinloop({"sim", kPendulum, "--duration", "1"});

  EXPECT_EQ(ran.code, console::kDone);
  EXPECT_THAT(ran.out, HasSubstr("1000 steps"));
  EXPECT_THAT(ran.out, HasSubstr("times real time"));
  EXPECT_THAT(ran.out, HasSubstr("largest drift"));
}

TEST(Sim, BadTimesAreRefusedWithTheReason) {
  const auto refused = [](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"sim", kPendulum};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Ran ran = run_kinloop(arguments);
    EXPECT_EQ(ran.code, console::kBadInput);
    return ran.err;
  };
  EXPECT_THAT(refused({"--dt", "0"}), HasSubstr("more than 0 s"));
  EXPECT_THAT(refused({"--dt=-1"}), HasSubstr("more than 0 s"));
  EXPECT_THAT(refused({"--dt", "2 kg"}), HasSubstr("--dt"));
  EXPECT_THAT(refused({"--dt", "nan"}), HasSubstr("--dt"));
  EXPECT_THAT(refused({"--dt", "20"}), HasSubstr("longer than the duration"));
  EXPECT_THAT(refused({"--dt", "1e-300"}), HasSubstr("steps"));
  EXPECT_THAT(refused({"--duration", "1e999"}), HasSubstr("--duration"));
  EXPECT_THAT(refused({"--every", "0"}), HasSubstr("--every"));
}

TEST(Sim, UnknownMethodsAreNamed) {
  const Ran ran = run_kinloop({"sim", kPendulum, "--dynamics", "magic", "--integrator", "luck"});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.err, HasSubstr("magic"));
  EXPECT_THAT(ran.err, HasSubstr("luck"));
}

TEST(Sim, AFormulationThatCannotTreatTheModelSaysWhy) {
  const Ran ran = run_kinloop({"sim", test::vector_path("fourbar").string(), "--dynamics", "rfda"});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.err, HasSubstr("loop"));
}

TEST(Sim, AFullDiskIsReported) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";

  const Ran ran = run_kinloop({"sim", kPendulum, "--out", "/dev/full"});

  EXPECT_EQ(ran.code, console::kInternalError);
  EXPECT_THAT(ran.err, HasSubstr("/dev/full: No space left on device"));
}

TEST(Sim, AFileThatCannotBeOpenedIsBadInput) {
  const Ran ran = run_kinloop({"sim", kPendulum, "--out", "no/such/folder/x.csv"});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.err, HasSubstr("no/such/folder/x.csv: No such file or directory"));
}

/// With a spring far beyond what an explicit method of 1 ms bears.
std::string stiff_pendulum() {
  nlohmann::json file = nlohmann::json::parse(std::ifstream(kPendulum));
  file["model"]["joints"][0]["spring"] = {{"k", {1e7}}, {"q0", {0.0}}, {"c", {0.0}}};
  const std::filesystem::path path = process_folder() / "stiff_pendulum.json";
  std::ofstream(path) << file;
  return path.string();
}

TEST(Sim, ADivergingMotionIsCalledSoAndKeepsTheStateBefore) {
  const Ran ran = run_kinloop({"sim", stiff_pendulum(), "--integrator", "rk4", "--every", "1000000", "-o", "-"});

  EXPECT_EQ(ran.code, console::kDiffers);
  EXPECT_THAT(ran.err, HasSubstr("the motion diverged"));
  EXPECT_THAT(ran.err, testing::Not(HasSubstr("last good state")));
  const std::vector<std::string> lines = sim_lines_of(ran.out);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines.back(), testing::Not(HasSubstr("nan")));
}

TEST(Sim, NamesTheIntegratorOfAutoAndItsReason) {
  const Ran smooth = run_kinloop({"sim", kPendulum, "-t", "0.1"});
  const Ran stiff = run_kinloop({"sim", "configs/models/excavator.yaml", "-t", "0.1"});

  EXPECT_THAT(smooth.out, HasSubstr("auto    rk4: nothing is stiff here"));
  EXPECT_THAT(stiff.out, HasSubstr("auto    linearly_implicit: joint"));
  EXPECT_THAT(smooth.out, HasSubstr("created by rk4"));
}

TEST(Sim, CallsAModelWithoutANameAfterItsFile) {
  const std::filesystem::path path = process_folder() / "nameless.yaml";
  std::ofstream(path) << "kinloop: 1\nbodies: [{name: b, mass: 1, inertia: [1, 1, 1]}]\n"
                         "joints: [{name: f, type: prismatic, predecessor: ground, successor: b}]\n";

  EXPECT_THAT(run_kinloop({"sim", path.string(), "-t", "1 ms"}).out,
              testing::StartsWith("nameless: 0.001 s in 1 steps"));
  EXPECT_THAT(run_kinloop({"check", path.string()}).out, testing::StartsWith("nameless (Kinloop model)"));
}

// The check of an answer knows what an implicit step adds to the inertia.
TEST(Sim, AnswersOfImplicitStepsStand) {
  const Ran ran =
      run_kinloop({"sim", "configs/models/excavator.yaml", "-t", "0.5", "-d", "rcr", "-i", "linearly_implicit"});

  EXPECT_THAT(ran.out, HasSubstr("; 0 answers taken from another formulation"));
}

TEST(Sim, WarnsOfAMethodThatIsNamedAndDiverges) {
  const Ran ran = run_kinloop({"sim", stiff_pendulum(), "-t", "1 ms", "-i", "rk4"});

  EXPECT_THAT(ran.err, HasSubstr("and rk4 diverges"));
}

TEST(MotionCsv, NamesWithCommasAreQuoted) {
  EXPECT_EQ(csv_cell("q.a"), "q.a");
  EXPECT_EQ(csv_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
}

}  // namespace
}  // namespace kinloop::cli
