// Tests who is taken for systemd's journal.
#include "services/log/journal_stream.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>

namespace kinloop::log {
namespace {

class JournalStream : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe(ends_.data()), 0);
    struct stat file {};
    ASSERT_EQ(::fstat(ends_[1], &file), 0);
    device_ = file.st_dev;
    inode_ = file.st_ino;
  }
  void TearDown() override {
    for (const int end : ends_) ::close(end);
  }
  static std::string named(std::uint64_t device, std::uint64_t inode) {
    return std::to_string(device) + ":" + std::to_string(inode);
  }

  std::array<int, 2> ends_{};
  std::uint64_t device_ = 0, inode_ = 0;
};

TEST_F(JournalStream, IsTheOneThatTheVariableNames) {
  EXPECT_TRUE(is_journal_stream(ends_[1], named(device_, inode_).c_str()));
}

TEST_F(JournalStream, IsNoneThatOnlyInheritedTheVariable) {
  EXPECT_FALSE(is_journal_stream(ends_[1], named(device_, inode_ + 1).c_str()));
  EXPECT_FALSE(is_journal_stream(ends_[1], named(device_ + 1, inode_).c_str()));
}

TEST_F(JournalStream, IsNoneWithoutTheVariableOrWithNonsenseInIt) {
  EXPECT_FALSE(is_journal_stream(ends_[1], nullptr));
  for (const char* text : {"", ":", "1", "1:", ":1", "a:b", "1:2:3", "-1:2"}) {
    EXPECT_FALSE(is_journal_stream(ends_[1], text)) << text;
  }
}

TEST_F(JournalStream, IsNoClosedDescriptor) { EXPECT_FALSE(is_journal_stream(-1, named(device_, inode_).c_str())); }

}  // namespace
}  // namespace kinloop::log
