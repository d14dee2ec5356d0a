// Tests the set-up of a thread: what is granted is in force, what is refused is told with its remedy.
#include "rt/loop/thread_setup.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "tests/support/allocation_count.hpp"
#include "tests/support/child.hpp"

namespace kinloop::rt {
namespace {

// Each runs in a process of its own: memory locks and priorities end with it.
constexpr int kGranted = 0;
constexpr int kRefusedWithRemedy = 1;
constexpr int kWrong = 2;

TEST(ThreadSetup, DoesNothingUnasked) {
  const ThreadSetup setup{ThreadWishes{}};

  EXPECT_TRUE(setup.refusals().empty());
}

TEST(ThreadSetup, SetsPriorityAndCoreOrSaysWhatWouldPermitThem) {
  const int outcome = in_a_child([] {
    ThreadWishes wishes;
    wishes.priority = 10;
    wishes.core = 0;
    const ThreadSetup setup(wishes);
    if (!setup.refusals().empty()) {
      for (const Refusal& refusal : setup.refusals()) {
        if (refusal.what.find(": ") == std::string::npos || refusal.fix.empty()) return kWrong;
      }
      return kRefusedWithRemedy;
    }
    sched_param parameters{};
    int policy = 0;
    ::pthread_getschedparam(::pthread_self(), &policy, &parameters);
    cpu_set_t set;
    ::pthread_getaffinity_np(::pthread_self(), sizeof set, &set);
    const bool right =
        policy == SCHED_FIFO && parameters.sched_priority == 10 && CPU_COUNT(&set) == 1 && CPU_ISSET(0, &set);
    return right ? kGranted : kWrong;
  });

  EXPECT_TRUE(outcome == kGranted || outcome == kRefusedWithRemedy) << outcome;
}

TEST(ThreadSetup, SaysThatACoreDoesNotExist) {
  for (const int core : {1000, 100000}) {
    ThreadWishes wishes;
    wishes.core = core;
    const ThreadSetup setup(wishes);

    ASSERT_EQ(setup.refusals().size(), 1U);
    EXPECT_EQ(setup.refusals()[0].what, "core " + std::to_string(core) + ": Invalid argument");
  }
}

long page_faults() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt + usage.ru_majflt;
}

[[gnu::noinline]] int use_stack(int depth) {
  std::array<volatile int, 4096> local;
  for (std::size_t i = 0; i < local.size(); i += 256) local[i] = depth;
  return depth > 0 ? use_stack(depth - 1) + local[0] : local[0];
}

TEST(ThreadSetup, LeavesNoPageFaultsToTheStackItTouched) {
  if (!AllocationCount::is_supported()) GTEST_SKIP() << "sanitizers lock no memory and have stacks of their own";
  const int outcome = in_a_child([] {
    ThreadWishes wishes;
    wishes.stack_bytes = 1U << 20U;
    const ThreadSetup setup(wishes);
    const long before = page_faults();
    const int used = use_stack(40);  // 640 KiB
    const long faults = page_faults() - before;
    return used >= 0 && faults <= 2 ? kGranted : kWrong;  // the counting itself may fault
  });

  EXPECT_EQ(outcome, kGranted);
}

TEST(ThreadSetup, LocksMemoryOrSaysWhatWouldPermitIt) {
  if (!AllocationCount::is_supported()) GTEST_SKIP() << "sanitizers lock no memory and have stacks of their own";
  const int outcome = in_a_child([] {
    ThreadWishes wishes;
    wishes.locked_memory = true;
    const ThreadSetup setup(wishes);
    if (!setup.refusals().empty()) {
      return setup.refusals()[0].fix.find("cap_ipc_lock") != std::string::npos ? kRefusedWithRemedy : kWrong;
    }
    constexpr std::size_t kBytes = 4U << 20U;
    auto* const block = static_cast<volatile char*>(::malloc(kBytes));
    if (block == nullptr) return kWrong;
    const long before = page_faults();
    for (std::size_t i = 0; i < kBytes; i += 4096) block[i] = 1;
    return page_faults() - before <= 2 ? kGranted : kWrong;
  });

  EXPECT_TRUE(outcome == kGranted || outcome == kRefusedWithRemedy) << outcome;
}

}  // namespace
}  // namespace kinloop::rt
