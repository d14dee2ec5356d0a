// A process group that is killed as a whole.
#include "bench/stop/abusers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace kinloop::bench {
namespace {

constexpr const char* kScript = KINLOOP_SOURCE_DIR "/tests/system/abuse/attack.py";
constexpr int kLongestStart_ms = 60'000;
constexpr int kSkipped = 77;

class Abusers final : public Attack {
 public:
  Abusers(const RigProcess& run, const std::vector<std::string>& abusers) {
    std::vector<std::string> arguments = {KINLOOP_PYTHON, kScript, run.folder().string()};
    arguments.insert(arguments.end(), abusers.begin(), abusers.end());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    std::array<int, 2> words{};
    if (::pipe2(words.data(), O_CLOEXEC) != 0) return;
    std::fflush(stdout);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      ::prctl(PR_SET_PDEATHSIG, SIGINT);  // Python then kills those it started
      ::dup2(words[1], STDOUT_FILENO);
      ::execv(KINLOOP_PYTHON, argv.data());
      std::_Exit(1);
    }
    ::setpgid(pid_, pid_);  // whichever of both comes first
    ::close(words[1]);
    words_ = words[0];
  }
  Abusers(const Abusers&) = delete;
  Abusers& operator=(const Abusers&) = delete;
  ~Abusers() override {
    if (pid_ > 0) {
      ::kill(-pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    if (words_ >= 0) ::close(words_);
  }

  bool are_at_it() {
    pollfd readable{words_, POLLIN, 0};
    std::array<char, 200> bytes{};
    if (::poll(&readable, 1, kLongestStart_ms) != 1) ::kill(-pid_, SIGKILL);
    const ssize_t count = ::read(words_, bytes.data(), bytes.size());
    const std::string said(bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    if (said.starts_with("at it")) return true;
    std::printf("%s", said.c_str());
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) return false;
    std::fprintf(stderr, "the abusers failed\n");
    std::exit(1);
  }

 private:
  pid_t pid_ = -1;
  int words_ = -1;
};

}  // namespace

std::unique_ptr<Attack> begin_abuse(const RigProcess& run, const std::vector<std::string>& abusers) {
  auto process = std::make_unique<Abusers>(run, abusers);
  return process->are_at_it() ? std::move(process) : nullptr;
}

}  // namespace kinloop::bench
