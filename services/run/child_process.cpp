// posix_spawn and waitpid.
#include "services/run/child_process.hpp"

#include <spawn.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <utility>

#include "services/console/exit_code.hpp"

namespace kinloop::run {
namespace {

/// Ctrl-C goes to the whole group of processes.
sigset_t of_the_terminal() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGUSR1, SIGUSR2}) sigaddset(&signals, number);
  return signals;
}

}  // namespace

Result<rt::SharedMemory> open_plant_memory(int descriptor) {
  struct stat file {};
  if (::fstat(descriptor, &file) != 0) return Error{"shared memory", "there is none"};
  auto shared = rt::SharedMemory::open(descriptor, static_cast<std::size_t>(file.st_size));
  if (!shared) return shared.error();
  const bool is_whole = shared->size() >= sizeof(rt::PlantMemory);
  const auto* memory = static_cast<const rt::PlantMemory*>(shared->data());
  if (!is_whole || memory->layout != rt::PlantMemory::kLayout ||
      shared->size() != rt::memory_size(memory->state_size)) {
    return Error{"shared memory", "the supervisor is of another version"};
  }
  return shared;
}

Result<ChildProcess> ChildProcess::spawn(std::vector<std::string> arguments, const rt::SharedMemory& memory) {
  arguments.insert(arguments.begin(), "kinloop");
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);

  const sigset_t held_back = of_the_terminal();
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigmask(&attributes, &held_back);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, memory.descriptor(), kMemoryDescriptor);
  // Not even what a caller left open, or a library opened without O_CLOEXEC.
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kMemoryDescriptor + 1);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) return Error{arguments[1], std::string("its process cannot be started: ") + std::strerror(error)};
  return ChildProcess(pid);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), ended_(std::exchange(other.ended_, std::nullopt)) {}

ChildProcess::~ChildProcess() {
  if (pid_ == 0 || ended_) return;
  send(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

std::optional<int> ChildProcess::ended() {
  const std::lock_guard guard(mutex_);
  if (ended_) return ended_;
  int status = 0;
  const pid_t found = ::waitpid(pid_, &status, WNOHANG);
  if (found == pid_) ended_ = WIFSIGNALED(status) ? console::kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
  if (found < 0) ended_ = console::kInternalError;  // somebody else waited for it
  return ended_;
}

void ChildProcess::send(int signal) {
  const std::lock_guard guard(mutex_);
  if (!ended_) ::kill(pid_, signal);
}

void follow_supervisor(const char* name, void (*on_end)(int), rt::PlantMemory& memory) {
  ::prctl(PR_SET_NAME, name);
  std::signal(SIGTERM, on_end);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGUSR1, SIG_IGN);
  std::signal(SIGUSR2, SIG_IGN);
  const sigset_t held_back = of_the_terminal();
  ::pthread_sigmask(SIG_UNBLOCK, &held_back, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != memory.supervisor) on_end(SIGTERM);  // it died before
}

}  // namespace kinloop::run
