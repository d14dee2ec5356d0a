// Runs rigs with the program itself: what their logs hold, on the console, in files, in the journal.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kinloop {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::StartsWith;

class RunLogTest : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    write("own.yaml", "kinloop_rig: 1\nname: own\nmodel: " + std::string(KINLOOP_SOURCE_DIR) +
                          "/configs/models/pendulum.yaml\nrate: 1 kHz\nwatchdog: {timeout: 20 s}\n");
    std::filesystem::create_directory(folder_ / "runs");
  }

  /// The words of a short run.
  std::vector<std::string> words(const std::vector<std::string>& more) const {
    std::vector<std::string> all = {KINLOOP_BINARY,
                                    "run",
                                    (folder_ / "own.yaml").string(),
                                    "--mode",
                                    "free",
                                    "-t",
                                    "1",
                                    "--runs",
                                    (folder_ / "runs").string(),
                                    "--allow-degraded"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// With sockets, in a folder of the test's own. `before` it, the shell does that.
  Process run(const std::vector<std::string>& more, const std::string& before = ":") const {
    std::vector<std::string> all = {"-c", before + "; exec \"$@\"", "sh", "env",
                                    "KINLOOP_RUNTIME_DIR=" + (folder_ / "sockets").string()};
    for (const std::string& word : words(more)) all.push_back(word);
    return Process("sh", all);
  }

  /// Of the file in the one run directory.
  std::vector<std::string> lines_of(const std::string& file) const {
    std::vector<std::string> lines;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "runs")) {
      std::ifstream stream(entry.path() / file);
      for (std::string line; std::getline(stream, line);) lines.push_back(line);
    }
    return lines;
  }
  static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
};

TEST_F(RunLogTest, EachProcessHasALogInTheRunDirectory) {
  Process process = run({"--log-level", "debug"});
  const std::string errors = process.read_errors();
  process.read_output();

  ASSERT_EQ(process.wait(), 0) << errors;
  EXPECT_THAT(errors,
              AllOf(HasSubstr("own: 1000 Hz, free"), HasSubstr("find it as own"), HasSubstr("s: the plant ended")));
  EXPECT_THAT(lines_of("kinloop.log"), Contains(AllOf(HasSubstr("Z info supervisor: own: 1000 Hz, free"))));
  EXPECT_THAT(lines_of("kinloop.log"), Contains(HasSubstr("Z debug supervisor: ")));
  EXPECT_THAT(lines_of("kinloop-io.log"), Contains(HasSubstr("Z debug io: serves control at ipc://")));
}

TEST_F(RunLogTest, AsJsonEveryLineOfBothProcessesIsAnObject) {
  Process process = run({"--log-level", "debug", "--log-format", "json"});
  const std::string errors = process.read_errors();
  process.read_output();

  ASSERT_EQ(process.wait(), 0) << errors;
  std::set<std::string> parts;
  for (const std::string& line : split(errors)) parts.insert(nlohmann::json::parse(line)["part"]);
  EXPECT_THAT(parts, IsSupersetOf({"supervisor", "io"}));
  for (const char* file : {"kinloop.log", "kinloop-io.log"}) {
    EXPECT_FALSE(lines_of(file).empty()) << file;
    for (const std::string& line : lines_of(file)) EXPECT_TRUE(nlohmann::json::parse(line).contains("time")) << line;
  }
}

TEST_F(RunLogTest, AnUnknownLevelIsRefusedWithThoseThereAre) {
  Process process = run({"--log-level", "loud"});

  EXPECT_THAT(process.read_errors(),
              AllOf(HasSubstr("--log-level loud"), HasSubstr("trace, debug, info, warning, error")));
  EXPECT_EQ(process.wait(), 2);
}

TEST_F(RunLogTest, ErrorsAloneLeaveTheConsoleQuiet) {
  Process process = run({"--log-level", "error"});
  const std::string errors = process.read_errors();
  process.read_output();

  EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(errors, "");
}

TEST_F(RunLogTest, AConsoleThatNobodyReadsHoldsUpNoRun) {
  std::array<int, 2> console{};  // a pipe that is full
  ASSERT_EQ(::pipe2(console.data(), O_NONBLOCK), 0);
  while (::write(console[1], "x", 1) == 1) continue;
  ASSERT_EQ(::fcntl(console[1], F_SETFL, 0), 0);

  Process process = run({"--log-level", "debug"}, "exec 2>/dev/fd/" + std::to_string(console[1]));
  const std::string out = process.read_output();

  EXPECT_EQ(process.wait(), 0);
  EXPECT_THAT(out, HasSubstr("step 1000"));
  EXPECT_THAT(lines_of("kinloop.log"), Contains(HasSubstr("the plant ended")));
  for (const int end : console) ::close(end);
}

/// The directory's name is known but for the second: all of the next minute's are made, with logs that find no room.
TEST_F(RunLogTest, ALogThatFindsNoRoomIsSaidOnceAndTheRunGoesOn) {
  const std::string before =
      "now=$(date +%s); for i in $(seq 0 60); do"
      " d=" +
      (folder_ / "runs").string() +
      "/own-$(date -u -d @$((now + i)) +%Y%m%dT%H%M%SZ)-$$;"
      " mkdir $d; ln -s /dev/full $d/kinloop.log; mkdir $d/kinloop-io.log; done";
  Process process = run({"--log-level", "debug"}, before);
  const std::string errors = process.read_errors();
  const std::string out = process.read_output();

  EXPECT_EQ(process.wait(), 0) << errors;
  EXPECT_THAT(out, HasSubstr("step 1000"));
  int said = 0;
  for (const std::string& line : split(errors)) said += line.starts_with("the log cannot be written") ? 1 : 0;
  EXPECT_EQ(said, 2) << "by each of the two processes once\n" << errors;
  EXPECT_THAT(errors, AllOf(HasSubstr("No space left on device"), HasSubstr("kinloop-io.log")));
}

TEST_F(RunLogTest, InTheJournalEveryLineHasItsPriority) {
  const std::string journal = (folder_ / "journal").string();
  Process process =
      run({"--log-level", "debug"}, "exec 2>" + journal + "; export JOURNAL_STREAM=$(stat -c %d:%i " + journal + ")");
  process.read_output();

  ASSERT_EQ(process.wait(), 0);
  std::vector<std::string> lines;
  std::ifstream stream(journal);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  EXPECT_THAT(lines, Contains(StartsWith("<6>own: 1000 Hz, free")));
  EXPECT_THAT(lines, Contains(StartsWith("<7>serves control at")));
  for (const std::string& line : lines) EXPECT_THAT(line, testing::MatchesRegex("<[0-7]>.*"));
}

TEST_F(RunLogTest, SoHaveErrorsBeforeTheRunHasALog) {
  const std::string journal = (folder_ / "journal").string();
  write("own.yaml", "kinloop_rig: 1\n");
  Process process = run({}, "exec 2>" + journal + "; export JOURNAL_STREAM=$(stat -c %d:%i " + journal + ")");

  EXPECT_EQ(process.wait(), 2);
  std::ifstream stream(journal);
  std::string line;
  EXPECT_TRUE(std::getline(stream, line));
  EXPECT_THAT(line, AllOf(StartsWith("<3>"), HasSubstr("own.yaml:1:1")));
}

}  // namespace
}  // namespace kinloop
