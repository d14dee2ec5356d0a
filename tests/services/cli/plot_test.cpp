// Tests the verb plot inside the process: what it writes, and what it refuses.
#include "services/cli/plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "services/console/exit_code.hpp"
#include "tests/services/cli/run.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/vectors.hpp"

namespace kinloop::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kModel = KINLOOP_SOURCE_DIR "/configs/models/double_pendulum.yaml";

/// A folder with a short motion in it, gone at the end of the test.
class Plot : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    ASSERT_EQ(run_kinloop({"sim", kModel, "-t", "1", "--dt", "10 ms", "-o", path("run.csv")}).code, console::kDone);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string text_of(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  /// `plot run.csv -o out.svg` with these besides.
  Ran plot(const std::vector<std::string>& options) const {
    std::vector<std::string> arguments = {"plot", path("run.csv"), "-o", path("out.svg")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_kinloop(arguments);
  }
  std::string refusal(const std::vector<std::string>& options) const {
    const Ran ran = plot(options);
    EXPECT_EQ(ran.code, console::kBadInput) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_FALSE(fs::exists(path("out.svg")));
    return ran.err;
  }
};

TEST_F(Plot, EveryPictureIsWritten) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{},
                                             {"--columns", "q.*,kinetic_J"},
                                             {"--model", kModel, "--title", "Two links", "--size", "500x300"},
                                             {"--phase", "q.j1,u.j1"},
                                             {"-m", kModel, "--path", "link2:1,0,0", "--path", "link1"},
                                             {"-m", kModel, "--strobe", "5", "--view", "iso"},
                                             {"-m", kModel, "--strobe", "5", "--path", "link2"}}) {
    fs::remove(path("out.svg"));
    const Ran ran = plot(options);

    EXPECT_EQ(ran.code, console::kDone) << ran.err;
    EXPECT_EQ(ran.err, "");
    EXPECT_EQ(ran.out, "wrote " + path("out.svg") + "\n");
    EXPECT_THAT(text_of("out.svg"), StartsWith("<?xml"));
  }
}

TEST_F(Plot, TheEndingOfTheNameDecidesTheFormat) {
  EXPECT_EQ(run_kinloop({"plot", path("run.csv"), "-o", path("out.PNG")}).code, console::kDone);
  EXPECT_THAT(text_of("out.PNG"), StartsWith("\x89PNG"));

  const Ran gif = run_kinloop({"plot", path("run.csv"), "-o", path("out.gif")});
  EXPECT_EQ(gif.code, console::kBadInput);
  EXPECT_THAT(gif.err, HasSubstr("neither .svg nor .png"));
}

TEST_F(Plot, EqualInputGivesEqualFiles) {
  const std::vector<std::string> options = {"-m", kModel, "--strobe", "4", "--path", "link2"};
  ASSERT_EQ(plot(options).code, console::kDone);
  const std::string first = text_of("out.svg");
  ASSERT_EQ(plot(options).code, console::kDone);

  EXPECT_EQ(text_of("out.svg"), first);
}

TEST_F(Plot, AFigureNeedsNoMotion) {
  for (const char* name : {"fourbar", "andrews", "stewart", "cam_open", "tree40"}) {
    const Ran ran = run_kinloop(
        {"plot", "--figure", "-m", test::vector_path(name).string(), "-o", path(std::string(name) + ".svg")});

    EXPECT_EQ(ran.code, console::kDone) << ran.err;
  }
}

TEST_F(Plot, OptionsThatDoNotGoTogetherAreNamed) {
  EXPECT_THAT(refusal({"--strobe", "3"}), HasSubstr("--model: is needed"));
  EXPECT_THAT(refusal({"--path", "link1"}), HasSubstr("--model: is needed"));
  EXPECT_THAT(refusal({"--figure", "-m", kModel}), HasSubstr("without a CSV"));
  EXPECT_THAT(refusal({"--view", "top"}), HasSubstr("--view"));
  EXPECT_THAT(refusal({"-m", kModel, "--strobe", "3", "--phase", "q.j1,u.j1"}), HasSubstr("--phase"));
  EXPECT_THAT(refusal({"-m", kModel, "--strobe", "-3"}), HasSubstr("--strobe"));
  EXPECT_THAT(refusal({"--columns", "q.j1", "--phase", "q.j1,u.j1"}), HasSubstr("leave out --columns"));
  EXPECT_THAT(refusal({"--size", "huge"}), HasSubstr("800x500"));
  EXPECT_THAT(run_kinloop({"plot", "-o", path("out.svg")}).err, HasSubstr("name the CSV"));
}

TEST_F(Plot, UnknownNamesAreGuessed) {
  EXPECT_THAT(refusal({"--columns", "j1"}), HasSubstr("did you mean 'q.j1' or 'u.j1'?"));
  EXPECT_THAT(refusal({"--phase", "q.j1,u.j11"}), HasSubstr("did you mean 'u.j1'?"));
  EXPECT_THAT(refusal({"-m", kModel, "--path", "lnk2"}), HasSubstr("did you mean 'link2'?"));
}

TEST_F(Plot, FaultsOfTheFileAreNamedByTheirLine) {
  write("run.csv", "");
  EXPECT_THAT(refusal({}), HasSubstr("run.csv: the file is empty"));
  write("run.csv", "t,q.j1\n");
  EXPECT_THAT(refusal({}), HasSubstr("run.csv:1: there are no rows"));
  write("run.csv", "t,q.j1\n0,1\n1\n");
  EXPECT_THAT(refusal({}), HasSubstr("run.csv:3: the row has 1 cell"));
  write("run.csv", "t,q.j1\n0,one\n");
  EXPECT_THAT(refusal({}), HasSubstr("run.csv:2: column 'q.j1': 'one' is not a number"));
  write("run.csv", "q.j1\n0\n");
  EXPECT_THAT(refusal({}), HasSubstr("run.csv:1: there is no column 't'"));
  fs::remove(path("run.csv"));
  EXPECT_THAT(refusal({}), HasSubstr("run.csv: cannot open the file: No such file"));
}

TEST_F(Plot, AModelThatIsNotThatOfTheMotionIsRefused) {
  const std::string errors = refusal({"-m", KINLOOP_SOURCE_DIR "/configs/models/cart_pole.yaml"});

  EXPECT_THAT(errors, HasSubstr("has no column"));
  EXPECT_THAT(errors, HasSubstr("'q.j1' is no coordinate of"));
  EXPECT_THAT(refusal({"-m", "missing.yaml"}), HasSubstr("missing.yaml"));
}

TEST_F(Plot, AnOutputThatCannotBeOpenedLeavesNothing) {
  const Ran ran = run_kinloop({"plot", path("run.csv"), "-o", path("no/such/out.svg")});

  EXPECT_EQ(ran.code, console::kBadInput);
  EXPECT_THAT(ran.err, HasSubstr("no/such/out.svg: No such file or directory"));
}

TEST_F(Plot, AFullDiskIsReported) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  fs::create_symlink("/dev/full", path("full.svg"));

  const Ran ran = run_kinloop({"plot", path("run.csv"), "-o", path("full.svg")});

  EXPECT_EQ(ran.code, console::kInternalError);
  EXPECT_THAT(ran.err, HasSubstr("No space left on device"));
}

TEST_F(Plot, ValuesThatAreNoNumbersAndHugeOnesDoNotHurt) {
  write("run.csv", "t,q.j1,q.j2\n0,nan,1e300\n1,inf,-1e300\n2,,1e149\nnan,1,1\n");

  EXPECT_EQ(plot({}).code, console::kDone);
  EXPECT_EQ(plot({"--phase", "q.j1,q.j2"}).code, console::kDone);
  fs::remove(path("out.svg"));
  write("run.csv", "t,q.j1,q.j2\n0,nan,1\n");
  EXPECT_THAT(refusal({"-m", kModel, "--strobe", "2"}), HasSubstr("no row has a number"));
}

}  // namespace
}  // namespace kinloop::cli
