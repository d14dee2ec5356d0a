// posix_spawn and waitpid.
#include "services/run/child_process.hpp"

#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <numeric>
#include <thread>
#include <utility>

#include "services/console/exit_code.hpp"

namespace kinloop::run {
namespace {

/// Under which a child finds the memory files, in the order of MemoryOwner.
constexpr int kFirstMemoryDescriptor = 3;
constexpr int kMemoryDescriptors = rt::kMemoryFiles;

constexpr std::chrono::seconds kLongestDeath{3};
constexpr std::chrono::milliseconds kDeathWait{1};

/// Ctrl-C goes to the whole group of processes.
sigset_t of_the_terminal() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGUSR1, SIGUSR2}) sigaddset(&signals, number);
  return signals;
}

// What the handler of SIGTERM needs; there before it is.
const rt::PlantMemory* followed = nullptr;
void (*tell_end)(EndedBy) = nullptr;

EndedBy ended_by(pid_t sender) noexcept {
  if (followed->io_may_end.load(std::memory_order_relaxed) != 0) return EndedBy::kSupervisor;
  // A process that dies loses its threads one by one, and with the first to go the kernel sends the signal in its name:
  // it may be the parent for a long time yet.
  const bool is_dying = sender == followed->supervisor || ::getppid() != followed->supervisor;
  return is_dying ? EndedBy::kDeathOfSupervisor : EndedBy::kSomebodyElse;
}

extern "C" void be_told_to_end(int /*number*/, siginfo_t* info, void* /*context*/) {
  const int kept = errno;
  tell_end(ended_by(info->si_pid));
  errno = kept;
}

}  // namespace

Result<rt::MemoryFiles> inherited_memory(rt::MemoryOwner owner) {
  rt::MemoryDescriptors descriptors{};
  std::iota(descriptors.begin(), descriptors.end(), kFirstMemoryDescriptor);
  return rt::MemoryFiles::open(descriptors, owner);
}

std::string memory_text(const rt::MemoryFiles& files) {
  std::string text;
  for (const rt::MemoryOwner owner : {rt::MemoryOwner::kSupervisor, rt::MemoryOwner::kPlant, rt::MemoryOwner::kIo}) {
    text += "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(files.file(owner).descriptor()) + "\n";
  }
  return text;
}

Result<ChildProcess> ChildProcess::spawn(std::vector<std::string> arguments, const rt::MemoryFiles& memory,
                                         rt::MemoryOwner owner) {
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
  std::vector<int> only_read;
  for (int i = 0; i < kMemoryDescriptors; ++i) {
    const auto of = static_cast<rt::MemoryOwner>(i);
    int descriptor = memory.file(of).descriptor();
    if (of != owner) only_read.push_back(descriptor = memory.file(of).reading_descriptor());
    ::posix_spawn_file_actions_adddup2(&actions, descriptor, kFirstMemoryDescriptor + i);
  }
  // Not even what a caller left open, or a library opened without O_CLOEXEC.
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kFirstMemoryDescriptor + kMemoryDescriptors);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, argv.data(), environ);
  for (const int descriptor : only_read) ::close(descriptor);
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
  // One that hangs in the kernel dies when that lets it go: it is not waited for for ever.
  const auto until = std::chrono::steady_clock::now() + kLongestDeath;
  while (!ended() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(kDeathWait);
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

SupervisorFollower::SupervisorFollower(const char* name, void (*on_end)(EndedBy), const rt::PlantMemory& memory) {
  ::prctl(PR_SET_NAME, name);
  followed = &memory;
  tell_end = on_end;
  struct sigaction action {};
  action.sa_sigaction = be_told_to_end;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGUSR1, SIG_IGN);
  std::signal(SIGUSR2, SIG_IGN);
  const sigset_t held_back = of_the_terminal();
  ::pthread_sigmask(SIG_UNBLOCK, &held_back, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != memory.supervisor) on_end(EndedBy::kDeathOfSupervisor);  // it died before
}

SupervisorFollower::~SupervisorFollower() { std::signal(SIGTERM, SIG_DFL); }

}  // namespace kinloop::run
