// Tests what a process makes of memory files that it is handed: of another version, of other sizes, not sealed, none.
#include "rt/loop/memory_files.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace kinloop::rt {
namespace {

using testing::HasSubstr;

constexpr std::size_t kStateSize = 12;

MemoryFiles made() { return MemoryFiles::create("test", kStateSize, MemoryFiles::Processes::kSeparate).value(); }

/// For another process: it closes them.
MemoryDescriptors descriptors_of(const MemoryFiles& files) {
  MemoryDescriptors all{};
  for (std::size_t i = 0; i < kMemoryFiles; ++i) {
    all[i] = ::fcntl(files.file(static_cast<MemoryOwner>(i)).descriptor(), F_DUPFD_CLOEXEC, 0);
  }
  return all;
}

int file_of(std::size_t size, int seals) {
  const int descriptor = ::memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_EQ(::ftruncate(descriptor, static_cast<off_t>(size)), 0);
  EXPECT_EQ(::fcntl(descriptor, F_ADD_SEALS, seals), 0);
  return descriptor;
}

/// A supervisor's file that says so many doubles.
int supervisor_file(std::uint32_t state_size, std::uint64_t layout = SupervisorPart::kLayout) {
  const SharedMemory memory = SharedMemory::create("other", sizeof(SupervisorPart)).value();
  auto& part = construct_in<SupervisorPart>(memory);
  part.state_size = state_size;
  part.layout = layout;
  return ::fcntl(memory.descriptor(), F_DUPFD_CLOEXEC, 0);
}

constexpr int kSealed = F_SEAL_SHRINK | F_SEAL_GROW;

TEST(MemoryFiles, WhatOneWritesAnotherReads) {
  const MemoryFiles supervisor = made();
  const auto io = MemoryFiles::open(descriptors_of(supervisor), MemoryOwner::kIo);

  ASSERT_TRUE(io) << io.error().what;
  EXPECT_EQ(io->memory().state_size(), kStateSize);
  supervisor.memory().epoch.store(7);
  EXPECT_EQ(io->memory().epoch.load(), 7U);
  io->memory().io_ready.store(7);
  EXPECT_EQ(supervisor.memory().io_ready.load(), 7U);
}

TEST(MemoryFiles, AnotherVersionIsRefused) {
  const MemoryFiles good = made();
  for (const int other : {supervisor_file(kStateSize, SupervisorPart::kLayout - 1),  // of this size
                          file_of(sizeof(SupervisorPart) - 8, kSealed), file_of(sizeof(SupervisorPart) + 8, kSealed),
                          file_of(0, kSealed)}) {
    MemoryDescriptors descriptors = descriptors_of(good);
    descriptors[0] = other;

    const auto opened = MemoryFiles::open(descriptors, MemoryOwner::kIo);

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().what, "the supervisor is of another version");
  }
}

/// A number of doubles that the files do not have room for would lead beyond them.
TEST(MemoryFiles, SizesThatDoNotFitTheNumberOfDoublesAreRefused) {
  const MemoryFiles good = made();
  for (const std::uint32_t size : {0U, 1U, 11U, 13U, 1U << 20U, 0xffffffffU}) {
    MemoryDescriptors descriptors = descriptors_of(good);
    descriptors[0] = supervisor_file(size);

    const auto opened = MemoryFiles::open(descriptors, MemoryOwner::kIo);

    ASSERT_FALSE(opened) << size;
    EXPECT_THAT(opened.error().what, HasSubstr("the processes are of different versions")) << size;
  }
}

TEST(MemoryFiles, FilesOfAnotherSizeAreRefusedWhoeverOwnsThem) {
  const MemoryFiles good = made();
  for (const std::size_t i : {1U, 2U}) {
    const std::size_t size = good.file(static_cast<MemoryOwner>(i)).size();
    for (const std::size_t other : {size - 8, size + 8, size + 4096, std::size_t{0}}) {
      MemoryDescriptors descriptors = descriptors_of(good);
      descriptors[i] = file_of(other, kSealed);

      const auto opened = MemoryFiles::open(descriptors, MemoryOwner::kIo);

      ASSERT_FALSE(opened) << i << ": " << other;
      EXPECT_THAT(opened.error().what, HasSubstr("the processes are of different versions"));
    }
  }
}

/// It could be cut under whoever reads it.
TEST(MemoryFiles, AFileWhoseSizeCanChangeIsRefused) {
  const MemoryFiles good = made();
  for (const int seals : {0, F_SEAL_GROW, F_SEAL_SHRINK}) {
    MemoryDescriptors descriptors = descriptors_of(good);
    descriptors[2] = file_of(good.file(MemoryOwner::kIo).size(), seals);

    const auto opened = MemoryFiles::open(descriptors, MemoryOwner::kPlant);

    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().what, "the file is not sealed");
  }
}

TEST(MemoryFiles, WhatIsNoMemoryFileIsRefused) {
  const MemoryFiles good = made();
  for (std::size_t i = 0; i < kMemoryFiles; ++i) {
    MemoryDescriptors descriptors = descriptors_of(good);
    ::close(descriptors[i]);
    descriptors[i] = ::open("/dev/null", O_RDWR | O_CLOEXEC);

    EXPECT_FALSE(MemoryFiles::open(descriptors, MemoryOwner::kIo)) << i;
  }
  EXPECT_FALSE(MemoryFiles::open({-1, -1, -1}, MemoryOwner::kIo));
}

TEST(MemoryFiles, NobodyWritesToAnothersFile) {
  const MemoryFiles supervisor = made();
  EXPECT_FALSE(MemoryFiles::open(descriptors_of(supervisor), MemoryOwner::kSupervisor)) << "it has its writer";
  ASSERT_TRUE(MemoryFiles::open(descriptors_of(supervisor), MemoryOwner::kPlant));

  EXPECT_FALSE(MemoryFiles::open(descriptors_of(supervisor), MemoryOwner::kPlant)) << "it has its writer by now";
  EXPECT_TRUE(MemoryFiles::open(descriptors_of(supervisor), MemoryOwner::kIo)) << "which is started again and again";
}

}  // namespace
}  // namespace kinloop::rt
