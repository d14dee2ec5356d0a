// Tests that the allocation counter sees every way to the heap, and only this thread's.
#include "tests/support/allocation_count.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <latch>
#include <thread>

namespace kinloop {
namespace {

// Volatile, so that the compiler may not drop an allocation nobody reads.
void* volatile sink = nullptr;
volatile std::size_t kSize = 64;
volatile Eigen::Index kRows = 16;

class AllocationCountTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!AllocationCount::is_supported()) GTEST_SKIP() << "a sanitizer owns malloc: allocations cannot be counted";
  }
};

TEST_F(AllocationCountTest, IsZeroWhereNothingAllocates) {
  const AllocationCount allocations;

  EXPECT_EQ(allocations.value(), 0);
}

TEST_F(AllocationCountTest, SeesMalloc) {
  const AllocationCount allocations;
  sink = std::malloc(kSize);
  const std::int64_t count = allocations.value();

  EXPECT_EQ(count, 1);
  std::free(sink);
}

TEST_F(AllocationCountTest, SeesCallocAndRealloc) {
  const AllocationCount allocations;
  sink = std::calloc(2, kSize);
  sink = std::realloc(sink, 100 * kSize);
  const std::int64_t count = allocations.value();

  EXPECT_EQ(count, 2);
  std::free(sink);
}

TEST_F(AllocationCountTest, SeesAlignedAllocation) {
  constexpr std::uintptr_t kAlignment = 128;
  void* blocks[3] = {};

  const AllocationCount allocations;
  const int error = posix_memalign(&blocks[0], kAlignment, kSize);
  blocks[1] = std::aligned_alloc(kAlignment, 2 * kSize);
  blocks[2] = memalign(kAlignment, kSize);
  const std::int64_t count = allocations.value();

  EXPECT_EQ(error, 0);
  EXPECT_EQ(count, 3);
  for (void* block : blocks) {
    EXPECT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % kAlignment, 0U);
    std::free(block);
  }
}

TEST_F(AllocationCountTest, SeesNew) {
  const AllocationCount allocations;
  auto* const memory = new char[kSize];
  sink = memory;
  const std::int64_t count = allocations.value();

  EXPECT_EQ(count, 1);
  delete[] memory;
}

TEST_F(AllocationCountTest, SeesAnEigenVector) {
  const AllocationCount allocations;
  Eigen::VectorXd vector(kRows);
  sink = vector.data();
  const std::int64_t count = allocations.value();

  EXPECT_EQ(count, 1);
}

TEST_F(AllocationCountTest, LeavesOutOtherThreads) {
  std::latch start(1);
  std::latch done(1);
  std::thread other([&start, &done] {
    start.wait();
    sink = std::malloc(kSize);
    done.count_down();
  });

  const AllocationCount allocations;
  start.count_down();
  done.wait();
  const std::int64_t count = allocations.value();

  EXPECT_EQ(count, 0);
  other.join();
  std::free(sink);
}

// Where counting is impossible, a test that relies on it must not be able to pass.
TEST(AllocationCountContract, MarksTheTestAsSkippedWhereItCannotCount) {
  const AllocationCount allocations;

  EXPECT_EQ(::testing::Test::IsSkipped(), !AllocationCount::is_supported());
}

TEST_F(AllocationCountTest, OfTheProcessSeesOtherThreads) {
  const ProcessAllocationCount allocations("libstdc++");
  std::thread([] { sink = std::malloc(kSize); }).join();
  const std::int64_t count = allocations.value();

  EXPECT_GE(count, 1);
  std::free(sink);
}

TEST_F(AllocationCountTest, OfTheProcessPassesOverALibrary) {
  const ProcessAllocationCount allocations("libstdc++");
  sink = ::operator new(kSize);  // which calls malloc within the library
  const std::int64_t count = allocations.value();
  const std::int64_t passed_over = allocations.passed_over();

  EXPECT_EQ(count, 0);
  EXPECT_EQ(passed_over, 1);
  ::operator delete(sink);
}

}  // namespace
}  // namespace kinloop
