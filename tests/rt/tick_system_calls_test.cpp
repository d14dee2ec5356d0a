// Proves by the kernel that a tick makes no system call: a filter kills the process at the first one.
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <mutex>
#include <vector>

#include "rt/loop/loop.hpp"
#include "rt/loop/warm_up.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/lock_count.hpp"
#include "tests/support/plants.hpp"
#include "tests/support/private_memory.hpp"

namespace kinloop::rt {
namespace {

constexpr std::uint64_t kSteps = 5000;

/// Only these are allowed from now on.
void allow_only(const std::vector<unsigned>& calls) {
  std::vector<sock_filter> program = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    ::_exit(99);
  }
}

/// Does something in the middle of a run.
class MeddlingInput final : public InputSource {
 public:
  MeddlingInput(InputSource& live, void (*meddle)()) : live_(live), meddle_(meddle) {}
  bool next(const Command* released_by, int level, StepInput& input) noexcept override {
    if (++tick_ == kSteps / 2) meddle_();
    return live_.next(released_by, level, input);
  }

 private:
  InputSource& live_;
  void (*meddle_)();
  std::uint64_t tick_ = 0;
};

struct TickSystemCallsRig {
  TickSystemCallsRig()
      : model(mechanisms::compiled(mechanisms::config("four_bar"))),
        plant(plants::made(model, spec_for(model))),
        state(plant->initial_state()) {}

  static PlantSpec spec_for(const Model& model) {
    PlantSpec spec = plants::driven_pendulum();
    spec.actuators[0].joint = model.speed_name(0);
    spec.sensors[0].signal = "q." + model.speed_name(0);
    spec.sensors[1].signal = "a." + model.speed_name(0);
    return spec;
  }

  Model model;
  std::unique_ptr<Plant> plant;
  State state;
  std::unique_ptr<PrivateMemory> memory = std::make_unique<PrivateMemory>();
};

/// How a process ends in which the loop runs under the filter: its exit code, or minus the signal.
int end_under_filter(Mode mode, std::vector<unsigned> allowed, void (*meddle)()) {
  const pid_t child = ::fork();
  if (child == 0) {
    TickSystemCallsRig rig;
    LiveInput live({CommandSettings{}}, *rig.memory);
    MeddlingInput input(live, meddle);
    MonotonicClock clock;
    LoopSettings settings;
    settings.mode = mode;
    settings.period_ns = 100'000;
    settings.max_steps = kSteps;
    settings.journal = Journal::kNone;
    Loop loop(settings, *rig.plant, rig.state, input, clock, *rig.memory);
    allowed.push_back(SYS_exit_group);
    allowed.push_back(SYS_getrusage);  // between ticks, now and then
    allow_only(allowed);
    loop.run();
    ::_exit(rig.state.step() == kSteps ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(TickSystemCalls, ThereAreNone) {
  if (!AllocationCount::is_supported()) GTEST_SKIP() << "sanitizers make system calls of their own";

  EXPECT_EQ(end_under_filter(Mode::kFree, {}, [] {}), 0);
}

TEST(TickSystemCalls, OneIsFound) {
  if (!AllocationCount::is_supported()) GTEST_SKIP() << "sanitizers make system calls of their own";

  EXPECT_EQ(end_under_filter(Mode::kFree, {}, [] { ::syscall(SYS_getppid); }), -SIGSYS);
}

TEST(TickSystemCalls, ByTheClockTheLoopOnlySleeps) {
  if (!AllocationCount::is_supported()) GTEST_SKIP() << "sanitizers make system calls of their own";

  EXPECT_EQ(end_under_filter(Mode::kRealTime, {SYS_clock_nanosleep}, [] {}), 0);
}

TEST(TickSystemCalls, NeitherPagesNorMemoryNorLocksAreAskedForAfterTheWarmUp) {
  TickSystemCallsRig rig;
  warm_up(*rig.plant, rig.state);
  LiveInput input({CommandSettings{}}, *rig.memory);
  MonotonicClock clock;
  LoopSettings settings;
  settings.mode = Mode::kFree;
  settings.max_steps = kSteps;
  settings.journal = Journal::kNone;
  Loop(settings, *rig.plant, rig.state, input, clock, *rig.memory).run();  // touches the rings
  for (SensorFrame frame; rig.memory->frames.take(frame);) {
  }
  Loop again(settings, *rig.plant, rig.state, input, clock, *rig.memory);

  const AllocationCount allocations;
  const LockCount locks;
  again.run();

  EXPECT_EQ(allocations.value(), 0);
  EXPECT_EQ(locks.value(), 0);
  const LoopStatus status = *rig.memory->status.take().value;
  EXPECT_EQ(status.usage.minor_faults, 0);
  EXPECT_EQ(status.usage.major_faults, 0);
}

TEST(LockCount, SeesALock) {
  std::mutex mutex;

  const LockCount locks;
  const std::lock_guard guard(mutex);

  EXPECT_EQ(locks.value(), 1);
}

}  // namespace
}  // namespace kinloop::rt
