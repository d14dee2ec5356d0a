// Tries, in a process of its own, what a part that was taken over would try.
#include "services/run/confinement.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <functional>
#include <thread>

#include "tests/support/allocation_count.hpp"
#include "tests/support/child.hpp"

namespace kinloop::run {
namespace {

/// 0, or the number of the first that does not hold.
int first_false(std::initializer_list<bool> expectations) {
  int number = 1;
  for (const bool holds : expectations) {
    if (!holds) return number;
    ++number;
  }
  return 0;
}

bool is_refused(long result) { return result < 0 && errno == EPERM; }

class Confinement : public testing::Test {
 protected:
  void SetUp() override {
    if (!AllocationCount::is_supported()) GTEST_SKIP() << "no filters under sanitizers";
  }
};

TEST_F(Confinement, LeavesThePlantsThreadSleepAndNothingElse) {
  const int outcome = in_a_child([] {
    if (!confine_plant_thread()) return 99;
    const timespec moment{0, 1000};
    rusage usage{};
    return first_false({
        ::clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, nullptr) == 0,
        ::getrusage(RUSAGE_THREAD, &usage) == 0,
        is_refused(::open("/dev/null", O_RDONLY)),
        is_refused(::socket(AF_UNIX, SOCK_STREAM, 0)),
        is_refused(::kill(::getppid(), 0)),
        is_refused(::execl("/bin/true", "true", nullptr)),
        is_refused(::syscall(SYS_ptrace, 0, 0, 0, 0)),
    });
  });

  EXPECT_EQ(outcome, 0);
}

TEST_F(Confinement, LeavesOtherThreadsOfThePlantAsTheyAre) {
  const int outcome = in_a_child([] {
    std::thread stepping([] { confine_plant_thread(); });
    stepping.join();
    return first_false({::open("/dev/null", O_RDONLY) >= 0});
  });

  EXPECT_EQ(outcome, 0);
}

TEST_F(Confinement, KeepsIoFromOtherProgramsAndProcesses) {
  const int outcome = in_a_child([] {
    if (!confine_io()) return 99;
    cpu_set_t cores;
    ::sched_getaffinity(0, sizeof cores, &cores);
    bool thread_works = false;
    std::thread([&] { thread_works = ::open("/dev/null", O_RDONLY) >= 0; }).join();
    rlimit files{};
    const sched_param least{};
    return first_false({
        thread_works,
        ::socket(AF_INET, SOCK_STREAM, 0) >= 0,
        ::getrlimit(RLIMIT_NOFILE, &files) == 0,
        is_refused(::execl("/bin/true", "true", nullptr)),
        is_refused(::kill(::getppid(), 0)),
        is_refused(::sched_setaffinity(::getppid(), sizeof cores, &cores)),
        ::sched_setscheduler(::getppid(), SCHED_IDLE, &least) == 0,  // says so
        ::sched_getscheduler(::getppid()) == SCHED_OTHER,
        is_refused(::setpriority(PRIO_PROCESS, static_cast<id_t>(::getppid()), 0)),
        is_refused(::prlimit(::getppid(), RLIMIT_NOFILE, &files, nullptr)),
        is_refused(::syscall(SYS_ptrace, 16, ::getppid(), 0, 0)),
    });
  });

  EXPECT_EQ(outcome, 0);
}

TEST_F(Confinement, TakesPrioritiesAndLockedMemoryFromIo) {
  const int outcome = in_a_child([] {
    if (!confine_io()) return 99;
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
    ::syscall(SYS_capget, &header, sets.data());
    const auto has = [&](unsigned capability) { return (sets[0].permitted & CAP_TO_MASK(capability)) != 0; };
    return first_false({!has(CAP_SYS_NICE), !has(CAP_IPC_LOCK), !has(CAP_SYS_ADMIN), !has(CAP_SYS_PTRACE)});
  });

  EXPECT_EQ(outcome, 0);
}

TEST_F(Confinement, LetsIoAbort) {
  const int outcome = in_a_child([]() -> int {
    if (!confine_io()) return 99;
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
  });

  EXPECT_EQ(outcome, 128 + SIGABRT);
}

}  // namespace
}  // namespace kinloop::run
