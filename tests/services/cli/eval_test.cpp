// Tests the verb eval: what passes, what differs, what cannot be evaluated.
#include "services/cli/eval.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "services/console/exit_code.hpp"
#include "tests/services/cli/run.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop::cli {
namespace {

using testing::HasSubstr;

/// A copy of a stored file with its first acceleration off by a little.
std::string altered_pendulum() {
  nlohmann::json file = nlohmann::json::parse(std::ifstream(test::vector_path("pendulum")));
  file["cases"][1]["expected"]["udot"][0] = file["cases"][1]["expected"]["udot"][0].get<double>() * (1.0 + 1e-6);
  const std::filesystem::path path = process_folder() / "altered_pendulum.json";
  std::ofstream(path) << file;
  return path.string();
}

TEST(Eval, ATreePassesWithEveryFormulation) {
  const Ran ran = run_kinloop({"eval", test::vector_path("tree10").string()});

  EXPECT_EQ(ran.code, console::kDone) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("rfda"));
  EXPECT_THAT(ran.out, HasSubstr("semi_recursive_1"));
  EXPECT_THAT(ran.out, HasSubstr("ok"));
}

TEST(Eval, AValueThatDiffersIsFound) {
  const std::string file = altered_pendulum();

  EXPECT_EQ(run_kinloop({"eval", file}).code, console::kDiffers);
  EXPECT_EQ(run_kinloop({"eval", file, "--tolerance", "1e-5"}).code, console::kDone);
}

TEST(Eval, AFileNobodyCanEvaluateDoesNotPass) {
  EvalOptions options;
  options.files = {test::vector_path("fourbar").string()};
  options.dynamics = "rfda";  // for trees only
  std::ostringstream out;
  std::ostringstream err;

  const int code = run_eval(options, console::Console{out, err});

  EXPECT_EQ(code, console::kBadInput);
  EXPECT_THAT(out.str(), HasSubstr("does not apply: "));
  EXPECT_THAT(err.str(), HasSubstr("not evaluated"));
}

TEST(Eval, AModelWithoutExpectedValuesIsAnErrorThatSaysSo) {
  const Ran ran = run_kinloop({"eval", test::trajectory_path("double_pendulum.json").string()});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.err, HasSubstr("holds no expected values"));
}

TEST(Eval, OneBadFileDoesNotHideTheOthers) {
  const Ran ran = run_kinloop({"eval", "missing.json", test::vector_path("pendulum").string()});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.out, HasSubstr("pendulum"));
}

TEST(Eval, AnUnknownFormulationIsNamedWithTheKnownOnes) {
  const Ran ran = run_kinloop({"eval", "any.json", "--dynamics", "magic"});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.err, HasSubstr("--dynamics magic: no such formulation; known are all, auto, "));
  EXPECT_THAT(ran.err, HasSubstr("rfda"));
}

TEST(Eval, NoToleranceIsNotATolerance) {
  const std::string file = test::vector_path("pendulum").string();

  EXPECT_EQ(run_kinloop({"eval", file, "--tolerance", "-1"}).code, console::kBadInput);
  EXPECT_EQ(run_kinloop({"eval", file, "--tolerance", "nan"}).code, console::kBadInput);
}

TEST(Eval, JsonIsAnArrayOfObjects) {
  const Ran ran = run_kinloop({"eval", test::vector_path("chain7").string(), "--dynamics", "rfda", "--json"});

  const auto rows = nlohmann::json::parse(ran.out);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["dynamics"], "rfda");
  EXPECT_EQ(rows[0]["within_tolerance"], true);
  EXPECT_LT(rows[0]["errors"]["reactions"].get<double>(), 1e-9);
}

}  // namespace
}  // namespace kinloop::cli
