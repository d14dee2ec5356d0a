// Tests memory between processes: seals, sizes, and that a process killed at any moment leaves the other side running.
#include "rt/ipc/shared_memory.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "rt/ipc/frame_ring.hpp"
#include "rt/ipc/futex_event.hpp"
#include "rt/ipc/latest_value.hpp"
#include "tests/rt/shared_payload.hpp"
#include "tests/support/private_memory.hpp"

namespace kinloop::rt {
namespace {

/// Each way with both of its sides; what leads to them is every process's own.
struct Layout {
  Sides<LatestValue<Payload>> mailbox_sides;
  Sides<Queue<Payload, 8>> queue_sides;
  Sides<FrameRing<Payload, 8>> ring_sides;
  Sides<FutexEvent> event_sides;
};

struct Ways {
  explicit Ways(Layout& layout)
      : mailbox(layout.mailbox_sides.written, layout.mailbox_sides.read),
        queue(layout.queue_sides.written, layout.queue_sides.read),
        ring(layout.ring_sides.written, layout.ring_sides.read),
        event(layout.event_sides.written, layout.event_sides.read) {}

  LatestValue<Payload> mailbox;
  Queue<Payload, 8> queue;
  FrameRing<Payload, 8> ring;
  FutexEvent event;
};

SharedMemory memory() {
  auto made = SharedMemory::create("kinloop-test", sizeof(Layout));
  EXPECT_TRUE(made);
  return std::move(*made);
}

/// A process of its own, killed at the end.
class Child {
 public:
  explicit Child(const std::function<void()>& work) : pid_(::fork()) {
    if (pid_ == 0) {
      work();
      ::_exit(0);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { kill_now(); }
  void kill_now() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_;
};

TEST(SharedMemory, CannotBeResizedByAnyone) {
  const SharedMemory shared = memory();

  EXPECT_NE(::ftruncate(shared.descriptor(), 1), 0);
  EXPECT_NE(::ftruncate(shared.descriptor(), 1 << 24), 0);
  EXPECT_TRUE(::fcntl(shared.descriptor(), F_GETFD) & FD_CLOEXEC);
}

TEST(SharedMemory, IsFoundByItsDescriptorAndOnlyWithItsSize) {
  const SharedMemory shared = memory();
  Ways(construct_in<Layout>(shared)).mailbox.write(Payload::of(5));

  const auto again = SharedMemory::open(::dup(shared.descriptor()), sizeof(Layout), Access::kWrite);
  const int other_size = ::dup(shared.descriptor());
  const auto wrong = SharedMemory::open(other_size, sizeof(Layout) + 64, Access::kWrite);
  ::close(other_size);

  ASSERT_TRUE(again);
  EXPECT_EQ(Ways(found_in<Layout>(*again)).mailbox.take().value->number(), 5U);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().what.find("different versions"), std::string::npos);
}

TEST(SharedMemory, RefusesADescriptorThatIsNoSealedMemoryFile) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);

  EXPECT_FALSE(SharedMemory::open(ends[0], 64, Access::kRead));
  EXPECT_FALSE(SharedMemory::open(-1, 64, Access::kRead));

  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(SharedMemory, CannotBeMappedForWritingByWhoGotAReadingDescriptor) {
  const SharedMemory shared = memory();
  const int descriptor = shared.reading_descriptor();
  ASSERT_GE(descriptor, 0);

  EXPECT_FALSE(SharedMemory::open(descriptor, sizeof(Layout), Access::kWrite));
  const auto read = SharedMemory::open(descriptor, sizeof(Layout), Access::kRead);

  ASSERT_TRUE(read);
  EXPECT_NE(::mprotect(read->data(), read->size(), PROT_READ | PROT_WRITE), 0);
  EXPECT_EQ(found_in<Layout>(*read).queue_sides.written.tail.load(), 0U);
}

TEST(SharedMemory, HasNoNewWritersOnceTheyAreForbidden) {
  SharedMemory shared = memory();
  Ways layout(construct_in<Layout>(shared));
  ASSERT_TRUE(shared.forbid_new_writers());
  const int descriptor = ::dup(shared.descriptor());  // one that may write

  EXPECT_FALSE(SharedMemory::open(descriptor, sizeof(Layout), Access::kWrite));
  layout.mailbox.write(Payload::of(6));
  const auto read = SharedMemory::open(descriptor, sizeof(Layout), Access::kRead);

  ASSERT_TRUE(read);
  EXPECT_NE(::mprotect(read->data(), read->size(), PROT_READ | PROT_WRITE), 0);
  EXPECT_EQ(layout.mailbox.take().value->number(), 6U) << "who wrote before goes on";
}

constexpr int kRounds = 60;

TEST(SharedMemory, LeavesTheReaderWholeValuesWhenWritersAreKilled) {
  const SharedMemory shared = memory();
  Ways layout(construct_in<Layout>(shared));
  std::mt19937 random(3);
  std::uint64_t newest = 0;
  std::uint64_t frames = 0;

  for (int round = 0; round < kRounds; ++round) {
    Child writer([&layout, from = newest] {
      for (std::uint64_t i = from + 1;; ++i) {
        layout.mailbox.write(Payload::of(i));
        layout.queue.push(Payload::of(i));
        layout.ring.publish(Payload::of(i));
        layout.event.notify();
      }
    });
    const std::uint64_t enough = frames + 1 + random() % 200;  // then the writer is in the midst of some next one
    Payload payload;
    while (frames < enough) {
      const auto taken = layout.mailbox.take();
      if (taken.value != nullptr) {
        ASSERT_TRUE(taken.value->is_whole());
        ASSERT_GE(taken.value->number(), newest);
        newest = taken.value->number();
      }
      if (layout.queue.pop(payload)) {
        ASSERT_TRUE(payload.is_whole());
      }
      if (layout.ring.take(payload)) {
        ASSERT_TRUE(payload.is_whole());
        ++frames;
      }
    }
    writer.kill_now();
    const auto last = layout.mailbox.take();
    ASSERT_TRUE(last.value == nullptr || last.value->is_whole());
    if (last.value != nullptr) newest = std::max(newest, last.value->number());
    while (layout.queue.pop(payload)) ASSERT_TRUE(payload.is_whole());
    while (layout.ring.take(payload)) ASSERT_TRUE(payload.is_whole());
  }
}

TEST(SharedMemory, LetsTheWriterGoOnWhenReadersAreKilled) {
  const SharedMemory shared = memory();
  Ways layout(construct_in<Layout>(shared));
  std::mt19937 random(4);
  std::uint64_t number = 0;

  for (int round = 0; round < kRounds; ++round) {
    Child reader([&layout] {
      for (Payload payload;;) {
        const auto taken = layout.mailbox.take();
        if (taken.value != nullptr && !taken.value->is_whole()) ::_exit(1);
        layout.queue.pop(payload);
        layout.ring.take(payload);
        layout.event.wait(layout.event.seen(), 1000000);
      }
    });
    const std::uint64_t enough = number + 1 + random() % 5000;
    while (number < enough) {
      layout.mailbox.write(Payload::of(++number));
      layout.queue.push(Payload::of(number));
      layout.ring.publish(Payload::of(number));
      layout.event.notify();
    }
  }

  layout.mailbox.write(Payload::of(++number));
  EXPECT_EQ(layout.mailbox.take().value->number(), number);
  Payload payload;
  while (layout.queue.pop(payload)) EXPECT_TRUE(payload.is_whole());
  EXPECT_TRUE(layout.queue.push(Payload::of(1)));
}

TEST(FutexEvent, WakesASleeperInAnotherProcessAndMissesNoNews) {
  const SharedMemory shared = memory();
  Ways layout(construct_in<Layout>(shared));
  constexpr std::uint64_t kFrames = 2000;
  Child producer([&layout] {
    for (std::uint64_t i = 1; i <= kFrames; ++i) {
      while (!layout.queue.push(Payload::of(i))) std::this_thread::yield();
      layout.event.notify();
    }
  });

  Payload payload;
  std::uint64_t got = 0;
  constexpr std::int64_t kLong_ns = 10'000'000'000;
  while (got < kFrames) {
    const std::uint32_t seen = layout.event.seen();
    if (layout.queue.pop(payload)) {
      ASSERT_EQ(payload.number(), ++got);
    } else {
      // A sleep may end for no reason; one that lasts to its end has missed something.
      const auto began = std::chrono::steady_clock::now();
      const bool is_signalled = layout.event.wait(seen, kLong_ns);
      ASSERT_TRUE(is_signalled || std::chrono::steady_clock::now() - began < std::chrono::nanoseconds(kLong_ns))
          << "slept through a signal after " << got;
    }
  }
}

TEST(FutexEvent, EndsWithItsTime) {
  Private<FutexEvent> event;

  EXPECT_FALSE(event.wait(event.seen(), 1'000'000));
  event.notify();
  EXPECT_TRUE(event.wait(0, 1'000'000'000));
}

}  // namespace
}  // namespace kinloop::rt
