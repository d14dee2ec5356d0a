// Runs the program itself: exit codes, streams, and Ctrl-C.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/vectors.hpp"

namespace kinloop {
namespace {

using testing::HasSubstr;

/// The running program, with its two streams.
class Process {
 public:
  explicit Process(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), KINLOOP_BINARY);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    EXPECT_EQ(pipe(out.data()), 0);
    EXPECT_EQ(pipe(err.data()), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    for (const int descriptor : {out[0], out[1], err[0], err[1]}) {
      posix_spawn_file_actions_addclose(&actions, descriptor);
    }
    EXPECT_EQ(posix_spawn(&pid_, KINLOOP_BINARY, &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    close(err[1]);
    out_ = fdopen(out[0], "r");
    err_ = fdopen(err[0], "r");
  }
  ~Process() {
    std::fclose(out_);
    std::fclose(err_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void interrupt() const { EXPECT_EQ(kill(pid_, SIGINT), 0); }
  std::string read_line() { return read_from(out_, true); }
  std::string read_output() { return read_from(out_, false); }
  std::string read_errors() { return read_from(err_, false); }
  /// The exit code, or minus the signal that ended it.
  int wait() const {
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  static std::string read_from(std::FILE* file, bool one_line) {
    std::string text;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
      text += static_cast<char>(c);
      if (one_line && c == '\n') break;
    }
    return text;
  }

  pid_t pid_ = -1;
  std::FILE* out_ = nullptr;
  std::FILE* err_ = nullptr;
};

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
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "kinloop_plot_service";
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
  std::filesystem::remove_all(folder);
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

  process.interrupt();

  const std::string rest = process.read_output();
  EXPECT_EQ(rest.back(), '\n');
  const std::string final_row = rest.substr(rest.rfind('\n', rest.size() - 2) + 1);
  EXPECT_EQ(std::count(final_row.begin(), final_row.end(), ','), 4) << final_row;
  EXPECT_THAT(process.read_errors(), HasSubstr("stopped at t = "));
  EXPECT_EQ(process.wait(), 128 + SIGINT);
}

}  // namespace
}  // namespace kinloop
