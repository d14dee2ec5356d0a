// Runs the program itself: exit codes, streams, and Ctrl-C.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop {
namespace {

using testing::HasSubstr;

const std::string kPendulum = test::vector_path("pendulum").string();

TEST(KinloopBinary, EveryVerbEndsWithZeroWhenItWorks) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"--version"},
                                             {"version"},
                                             {"check", kPendulum},
                                             {"eval", kPendulum},
                                             {"sim", kPendulum, "-t", "1"}}) {
    Process process(arguments);
    EXPECT_NE(process.read_output(), "");
    EXPECT_EQ(process.read_errors(), "");
    EXPECT_EQ(process.wait(), 0) << arguments.front();
  }
}

TEST(KinloopBinary, PlotDrawsAMotionAndAMechanismTwiceTheSame) {
  const std::filesystem::path folder = process_folder() / "plot";
  std::filesystem::create_directories(folder);
  const std::string csv = (folder / "run.csv").string();
  ASSERT_EQ(Process({"sim", kPendulum, "-t", "1", "-o", csv}).wait(), 0);
  const auto draw = [&](const std::string& name) {
    Process process({"plot", csv, "-m", kPendulum, "--strobe", "3", "-o", (folder / name).string()});
    EXPECT_EQ(process.read_output(), "wrote " + (folder / name).string() + "\n");
    EXPECT_EQ(process.read_errors(), "");
    EXPECT_EQ(process.wait(), 0);
    std::ostringstream bytes;
    bytes << std::ifstream(folder / name, std::ios::binary).rdbuf();
    return bytes.str();
  };

  for (const std::string ending : {".svg", ".png"}) {
    const std::string first = draw("first" + ending);
    EXPECT_GT(first.size(), 1000U);
    EXPECT_EQ(first, draw("second" + ending));
  }
}

TEST(KinloopBinary, MisuseEndsWithTwoAndSpeaksOnTheErrorStream) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"nonsense"},
                                             {"check"},
                                             {"check", "missing.yaml"},
                                             {"sim", "."},
                                             {"plot", "missing.csv", "-o", "a.svg"}}) {
    Process process(arguments);
    EXPECT_EQ(process.read_output(), "");
    EXPECT_NE(process.read_errors(), "");
    EXPECT_EQ(process.wait(), 2);
  }
}

TEST(KinloopBinary, CtrlCLeavesACompleteFileAndSaysWhen) {
  Process process({"sim", kPendulum, "--duration", "1e6", "--out", "-"});
  std::string last = process.read_line();
  for (int i = 0; i < 100; ++i) last = process.read_line();  // it is under way

  process.send(SIGINT);

  const std::string rest = process.read_output();
  EXPECT_EQ(rest.back(), '\n');
  const std::string final_row = rest.substr(rest.rfind('\n', rest.size() - 2) + 1);
  EXPECT_EQ(std::count(final_row.begin(), final_row.end(), ','), 4) << final_row;
  EXPECT_THAT(process.read_errors(), HasSubstr("stopped at t = "));
  EXPECT_EQ(process.wait(), 128 + SIGINT);
}

}  // namespace
}  // namespace kinloop
