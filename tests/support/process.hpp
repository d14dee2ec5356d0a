// Owns Process: a program that runs beside the test, with its two streams.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace kinloop {

/// The running program, with its two streams.
class Process {
 public:
  /// The binary of this build.
  explicit Process(const std::vector<std::string>& arguments) : Process(KINLOOP_BINARY, arguments) {}
  /// Another program, that is looked for in PATH.
  Process(const std::string& program, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program);
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
    EXPECT_EQ(posix_spawnp(&pid_, program.c_str(), &actions, nullptr, argv.data(), environ), 0);
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

  pid_t pid() const noexcept { return pid_; }
  void send(int number) const { EXPECT_EQ(kill(pid_, number), 0); }
  std::string read_line() { return read_from(out_, true); }
  std::string read_error_line() { return read_from(err_, true); }
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

}  // namespace kinloop
