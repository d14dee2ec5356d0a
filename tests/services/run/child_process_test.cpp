// Tests what a child makes of a signal to end: wished, somebody else's, or the last that it hears of its supervisor.
#include "services/run/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <memory>

#include "tests/support/private_memory.hpp"

namespace kinloop::run {
namespace {

int told_by = -1;  // a pipe's end, for the handler

void tell_and_end(EndedBy by) {
  const char word = static_cast<char>(by);
  ::_exit(::write(told_by, &word, 1) == 1 ? 0 : 1);
}

enum class Sender { kSupervisor, kDyingSupervisor, kOther };

/// What a child of a supervisor says who gets SIGTERM from that one.
EndedBy heard(Sender sender, std::uint32_t io_may_end) {
  const auto memory = std::make_unique<rt::PrivateMemory>();
  memory->io_may_end = io_may_end;
  std::array<int, 2> words{}, ready{}, pids{};
  for (auto* ends : {&words, &ready, &pids}) EXPECT_EQ(::pipe(ends->data()), 0);
  told_by = words[1];
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    memory->supervisor = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
      const SupervisorFollower follower("kinloop-test", tell_and_end, *memory);
      if (::write(ready[1], "r", 1) != 1) ::_exit(1);
      while (true) ::pause();
    }
    char byte = 0;
    if (::read(ready[0], &byte, 1) != 1) ::_exit(1);
    if (sender == Sender::kSupervisor) ::kill(child, SIGTERM);
    if (sender == Sender::kDyingSupervisor) ::raise(SIGKILL);  // the kernel sends it
    if (sender == Sender::kOther && ::write(pids[1], &child, sizeof child) != sizeof child) ::_exit(1);
    ::waitpid(child, nullptr, 0);
    ::_exit(0);
  }
  if (sender == Sender::kOther) {
    pid_t child = 0;
    EXPECT_EQ(::read(pids[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
    EXPECT_EQ(::kill(child, SIGTERM), 0);
  }
  char word = 0;
  EXPECT_EQ(::read(words[0], &word, 1), 1);
  ::waitpid(supervisor, nullptr, 0);
  for (const auto& ends : {words, ready, pids}) {
    for (const int end : ends) ::close(end);
  }
  return static_cast<EndedBy>(word);
}

TEST(SupervisorFollower, AnEndThatIsWishedIsOne) { EXPECT_EQ(heard(Sender::kSupervisor, 1), EndedBy::kSupervisor); }

TEST(SupervisorFollower, ADyingSupervisorIsKnownAtOnce) {
  EXPECT_EQ(heard(Sender::kDyingSupervisor, 0), EndedBy::kDeathOfSupervisor);
}

/// One that dies takes its time, a core is written or a thread hangs in the kernel: it is the parent meanwhile, and the
/// signal comes in its name.
TEST(SupervisorFollower, AnEndInTheNameOfASupervisorWhoDidNotWishItIsItsDeathThoughItIsStillTheParent) {
  EXPECT_EQ(heard(Sender::kSupervisor, 0), EndedBy::kDeathOfSupervisor);
}

TEST(SupervisorFollower, SomebodyElsesSignalIsNoDeathOfTheSupervisor) {
  EXPECT_EQ(heard(Sender::kOther, 0), EndedBy::kSomebodyElse);
}

}  // namespace
}  // namespace kinloop::run
