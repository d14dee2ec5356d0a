// Tests the verb linearize: what it prints, what it writes, what it refuses.
#include "services/cli/linearize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "services/console/exit_code.hpp"
#include "tests/services/cli/run.hpp"
#include "tests/support/model_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class LinearizeVerb : public TemporaryFolder {};

TEST_F(LinearizeVerb, WritesAllMatricesOfARig) {
  const std::string file = (folder_ / "cart_pole.json").string();

  const Ran ran = run_kinloop({"linearize", test::rig_path("cart_pole").string(), "--out", file});

  ASSERT_EQ(ran.code, console::kDone) << ran.err;
  const nlohmann::json json = nlohmann::json::parse(std::ifstream(file));
  const std::size_t states = json["states"].size();
  EXPECT_EQ(json["states"][0], "q.rail");
  EXPECT_EQ(json["inputs"], nlohmann::json({"belt"}));
  EXPECT_EQ(json["outputs"].size(), 3U);
  EXPECT_EQ(json["A"].size(), states);
  EXPECT_EQ(json["A"][0].size(), states);
  EXPECT_EQ(json["B"][0].size(), 1U);
  EXPECT_EQ(json["C"].size(), 3U);
  EXPECT_EQ(json["D"][0].size(), 1U);
  EXPECT_EQ(json["eigenvalues"].size(), states);
  EXPECT_EQ(json["dt_s"], 1e-3);
  EXPECT_LT(json["uncertainty"], 1e-6);
}

TEST_F(LinearizeVerb, PrintsModesForPeople) {
  const Ran ran = run_kinloop({"linearize", test::rig_path("cart_pole").string()});

  EXPECT_EQ(ran.code, console::kDone);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("u.hinge"), HasSubstr("lag.belt"), HasSubstr("cart_acceleration"),
                             HasSubstr("magnitude"), HasSubstr("damping"), HasSubstr("grows")));
  EXPECT_THAT(ran.err, HasSubstr("dry friction"));
}

TEST_F(LinearizeVerb, StandardOutputIsForPrograms) {
  const Ran ran = run_kinloop({"linearize", test::rig_path("five_bar").string(), "-o", "-"});

  ASSERT_EQ(ran.code, console::kDone) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out)["name"], "five_bar");
  EXPECT_THAT(ran.err, HasSubstr("magnitude"));
}

TEST_F(LinearizeVerb, EveryRigCanBeLinearised) {
  for (const std::string& name : test::rig_names()) {
    const Ran ran = run_kinloop({"linearize", test::rig_path(name).string(), "-o", "-"});

    ASSERT_EQ(ran.code, console::kDone) << name << ": " << ran.err;
    EXPECT_LT(nlohmann::json::parse(ran.out)["uncertainty"], 1e-6) << name;
  }
}

TEST_F(LinearizeVerb, WarnsOfAnIntegratorThatIsNamedAndCannotFollow) {
  const std::vector<std::string> words = {"linearize", test::config_path("excavator").string(), "--dt", "4 ms", "-i"};
  std::vector<std::string> named = words, automatic = words;
  named.push_back("rk4");
  automatic.push_back("auto");

  const Ran ran = run_kinloop(named);
  const Ran by_auto = run_kinloop(automatic);

  ASSERT_EQ(ran.code, console::kDone) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("warning: solver: joint boom: contact friction answers at"));
  EXPECT_THAT(ran.err, HasSubstr("and what should stick chatters"));
  ASSERT_EQ(by_auto.code, console::kDone) << by_auto.err;
  EXPECT_THAT(by_auto.out, HasSubstr("auto takes linearly_implicit: joint"));
  EXPECT_THAT(by_auto.err, testing::Not(HasSubstr("solver: ")));
}

TEST_F(LinearizeVerb, AModelAloneHasNoInputs) {
  const Ran ran =
      run_kinloop({"linearize", test::config_path("pendulum").string(), "--dt", "2 ms", "-i", "heun", "-o", "-"});

  ASSERT_EQ(ran.code, console::kDone) << ran.err;
  const nlohmann::json json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["dt_s"], 2e-3);
  EXPECT_TRUE(json["inputs"].empty());
  EXPECT_EQ(json["A"].size(), 2U);
}

TEST_F(LinearizeVerb, RefusesWhatItCannotLinearise) {
  write("open.yaml", "kinloop_rig: 1\nname: x\n");

  EXPECT_EQ(run_kinloop({"linearize", (folder_ / "none.yaml").string()}).code, console::kBadInput);
  EXPECT_EQ(run_kinloop({"linearize", (folder_ / "open.yaml").string()}).code, console::kBadInput);
  const std::string pendulum = test::config_path("pendulum").string();
  EXPECT_EQ(run_kinloop({"linearize", pendulum, "--dt", "-1"}).code, console::kBadInput);
  EXPECT_THAT(run_kinloop({"linearize", pendulum, "--side", "left"}).err, HasSubstr("known are either, below, above"));
  EXPECT_THAT(run_kinloop({"linearize", pendulum, "-i", "nobody"}).err, HasSubstr("no such integrator"));
  EXPECT_EQ(run_kinloop({"linearize", pendulum, "-o", "/nowhere/at/all.json"}).code, console::kBadInput);
}

}  // namespace
}  // namespace kinloop::cli
