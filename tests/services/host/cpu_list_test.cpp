// Tests the kernel's lists of processors.
#include "services/host/cpu_list.hpp"

#include <gtest/gtest.h>

namespace kinloop::host {
namespace {

TEST(CpuList, IsReadWithRangesAndWithoutWords) {
  EXPECT_EQ(read_cpu_list("0-3,8"), (std::vector<int>{0, 1, 2, 3, 8}));
  EXPECT_EQ(read_cpu_list(" 5,2-2 \n"), (std::vector<int>{2, 5}));
  EXPECT_EQ(read_cpu_list("managed_irq,domain,2-3"), (std::vector<int>{2, 3}));
  EXPECT_EQ(read_cpu_list("1,1,0-1"), (std::vector<int>{0, 1}));
}

TEST(CpuList, IsEmptyWhereTheTextIsNone) {
  for (const char* text : {"", "\n", "(null)", "-", "3-", "-3", "a-b", "5-2", "99999999999", "0-100000", ",,,"}) {
    EXPECT_TRUE(read_cpu_list(text).empty()) << text;
  }
}

TEST(CpuList, IsWrittenAsItIsRead) {
  for (const char* text : {"", "0", "0-3,8", "1,3,5-7"}) EXPECT_EQ(cpu_list(read_cpu_list(text)), text);
}

}  // namespace
}  // namespace kinloop::host
