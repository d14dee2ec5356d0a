// Tests the command line as a whole: help, misuse, exit codes.
#include "services/cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "services/console/exit_code.hpp"
#include "tests/services/cli/run.hpp"

namespace kinloop::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(CommandLine, WithoutAVerbItShowsTheHelpAndFails) {
  const Ran ran = run_kinloop({});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.err, HasSubstr("examples:"));
}

constexpr std::array kVerbs = {"run",  "record", "replay", "check", "sim",    "plot",   "export", "linearize",
                               "trim", "eval",   "ctl",    "top",   "doctor", "keygen", "version"};

TEST(CommandLine, HelpShowsEveryVerb) {
  const Ran ran = run_kinloop({"--help"});

  EXPECT_EQ(ran.code, console::kDone);
  for (const char* verb : kVerbs) EXPECT_THAT(ran.out, HasSubstr(verb));
}

TEST(CommandLine, EveryVerbTeachesByExample) {
  for (const std::string verb : kVerbs) {
    const Ran ran = run_kinloop({verb, "--help"});

    EXPECT_EQ(ran.code, console::kDone) << verb;
    EXPECT_THAT(ran.out, HasSubstr("examples:\n  kinloop " + verb));
  }
}

TEST(CommandLine, AMisspeltVerbIsGuessed) {
  const Ran ran = run_kinloop({"chekc"});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.err, HasSubstr("did you mean 'check'?"));
}

TEST(CommandLine, MisuseOfAVerbPointsToItsHelp) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"check"},
                                             {"check", "a.yaml", "b.yaml"},
                                             {"check", "--nonsense", "a.yaml"},
                                             {"eval"},
                                             {"sim"},
                                             {"sim", "a.yaml", "--every", "often"},
                                             {"plot", "run.csv"},
                                             {"plot", "run.csv", "-o", "a.svg", "--view", "back"},
                                             {"version", "surplus"}}) {
    const Ran ran = run_kinloop(arguments);

    EXPECT_EQ(ran.code, console::kBadInput);
    EXPECT_THAT(ran.err, HasSubstr("see: kinloop " + arguments.front() + " --help"));
    EXPECT_EQ(ran.out, "");
  }
}

TEST(CommandLine, AMissingFileIsBadInputForEveryVerb) {
  for (const char* verb : {"check", "sim", "eval"}) {
    const Ran ran = run_kinloop({verb, "no/such/file.yaml"});

    EXPECT_EQ(ran.code, console::kBadInput) << verb;
    EXPECT_THAT(ran.err, HasSubstr("no/such/file.yaml")) << verb;
  }
}

TEST(CommandLine, ADirectoryIsBadInputForEveryVerb) {
  for (const char* verb : {"check", "sim", "eval"}) {
    EXPECT_EQ(run_kinloop({verb, testing::TempDir()}).code, console::kBadInput) << verb;
  }
}

TEST(CommandLine, AnOutputThatCannotBeWrittenIsReported) {
  std::ostringstream err;
  std::ostream broken(nullptr);

  const int code = run_command_line({"version"}, console::Console{broken, err});

  EXPECT_EQ(code, console::kInternalError);
  EXPECT_THAT(err.str(), HasSubstr("could not be written"));
}

TEST(CommandLine, NoColoursUnlessAskedFor) { EXPECT_THAT(run_kinloop({"version"}).out, Not(HasSubstr("\033"))); }

TEST(Version, TellsWhatItWasBuiltFrom) {
  const Ran text = run_kinloop({"version"});
  const Ran json = run_kinloop({"version", "--json"});

  EXPECT_EQ(text.code, console::kDone);
  const auto about = nlohmann::json::parse(json.out);
  for (const char* key : {"version", "commit", "compiler", "architecture", "build"}) {
    EXPECT_FALSE(about.at(key).get<std::string>().empty()) << key;
  }
  EXPECT_TRUE(about.at("libraries").contains("Eigen"));
  EXPECT_THAT(text.out, HasSubstr(about.at("commit").get<std::string>()));
}

}  // namespace
}  // namespace kinloop::cli
